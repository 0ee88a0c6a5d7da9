package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.IoHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Channels on their way into an event loop. Netty registers a channel's <em>handle</em>, which does
 * not tell its channel; but a little earlier the channel itself came by. Thread-safe.
 */
final class Arrivals {
  private final ConcurrentMap<IoHandle, Channel> channels = new ConcurrentHashMap<>();

  /** A channel is about to register its handle. */
  void expect(Channel channel) {
    if (channel.unsafe() instanceof IoHandle handle) {
      channels.put(handle, channel);
    }
  }

  /** The attempt to register ends with this future; one that fails may never ask. */
  ChannelFuture settle(ChannelFuture registration) {
    if (registration.isDone()) {
      forgetIfFailed(registration); // refused: no loop is left to tell a listener
      return registration;
    }
    return registration.addListener(future -> forgetIfFailed(registration));
  }

  private void forgetIfFailed(ChannelFuture registration) {
    if (!registration.isSuccess() && registration.channel().unsafe() instanceof IoHandle handle) {
      channels.remove(handle);
    }
  }

  /** The channel of a handle that registers now; null if it never came by. */
  @Nullable Channel channelOf(IoHandle handle) {
    return channels.remove(handle);
  }

  /** How many are on their way. */
  int size() {
    return channels.size();
  }
}

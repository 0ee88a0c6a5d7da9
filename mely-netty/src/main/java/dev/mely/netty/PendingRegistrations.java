package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Channels whose registration with an event loop has begun and not ended. Netty registers a
 * channel's <em>handle</em>, which does not tell its channel; but a little earlier the channel
 * itself came by, and it stays here until the attempt to register has ended. Thread-safe.
 */
final class PendingRegistrations {
  private final ConcurrentMap<IoHandle, Channel> channels = new ConcurrentHashMap<>();

  /**
   * A channel is about to be registered. False: it is already, and must be refused. Netty looks
   * whether a channel <em>is</em> registered; of two attempts at once both would pass, the handle
   * would be entered twice, and one entry would stay for good.
   */
  boolean add(Channel channel) {
    return !(channel.unsafe() instanceof IoHandle handle)
        || channels.putIfAbsent(handle, channel) == null;
  }

  /** The attempt has ended: from here on Netty knows whether the channel is registered. */
  void remove(Channel channel) {
    if (channel.unsafe() instanceof IoHandle handle) {
      channels.remove(handle);
    }
  }

  /** The channel of a handle that registers now; null if it never came by. */
  @Nullable Channel channelOf(IoHandle handle) {
    return channels.get(handle);
  }

  /** How many there are. */
  int size() {
    return channels.size();
  }
}

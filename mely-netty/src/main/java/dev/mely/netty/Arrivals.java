package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Channels on their way into an event loop. Netty registers a channel's <em>handle</em>, which does
 * not tell its channel; but a little earlier the channel itself came by. Thread-safe.
 */
final class Arrivals {
  private final Queue<Channel> channels = new ConcurrentLinkedQueue<>();

  /** A channel is about to register its handle. */
  void expect(Channel channel) {
    if (channel.unsafe() instanceof IoHandle) {
      channels.add(channel);
    }
  }

  /** The channel of a handle that registers now; null if it never came by. */
  @Nullable Channel channelOf(IoHandle handle) {
    for (Iterator<Channel> i = channels.iterator(); i.hasNext(); ) {
      Channel channel = i.next();
      boolean found = channel.unsafe() == handle;
      if (found || !channel.isOpen()) {
        i.remove();
      }
      if (found) {
        return channel;
      }
    }
    return null;
  }
}

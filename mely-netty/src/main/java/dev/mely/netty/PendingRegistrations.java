package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
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
  /** Each is one of its own, whatever it holds. */
  private static final class Attempt {
    final Channel channel;
    final ChannelFuture registration;

    Attempt(Channel channel, ChannelFuture registration) {
      this.channel = channel;
      this.registration = registration;
    }
  }

  private final ConcurrentMap<IoHandle, Attempt> attempts = new ConcurrentHashMap<>();

  /**
   * A channel is about to be registered. False: it is already, and must be refused. Netty looks
   * whether a channel <em>is</em> registered; of two attempts at once both would pass, the handle
   * would be entered twice, and one entry would stay for good. One whose future is done is over,
   * though whoever made it may be slow to say so: the channel may have left its loop since.
   */
  boolean add(Channel channel, ChannelFuture registration) {
    if (!(channel.unsafe() instanceof IoHandle handle)) {
      return true;
    }
    Attempt mine = new Attempt(channel, registration);
    return mine
        == attempts.compute(
            handle, (h, other) -> other == null || other.registration.isDone() ? mine : other);
  }

  /** The attempt has ended: from here on Netty knows whether the channel is registered. */
  void remove(Channel channel, ChannelFuture registration) {
    if (channel.unsafe() instanceof IoHandle handle) {
      attempts.computeIfPresent(
          handle, (h, other) -> other.registration == registration ? null : other);
    }
  }

  /** The channel of a handle that registers now; null if it never came by. */
  @Nullable Channel channelOf(IoHandle handle) {
    Attempt attempt = attempts.get(handle);
    return attempt == null ? null : attempt.channel;
  }

  /** How many there are. */
  int size() {
    return attempts.size();
  }
}

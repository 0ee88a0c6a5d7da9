package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.IoHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Channels whose registration with an event loop has begun and not ended. Netty registers a
 * channel's <em>handle</em>, which does not tell its channel; but the channel itself was registered
 * just before, and is kept here until that registration has ended. Thread-safe.
 */
final class PendingRegistrations {
  /** Compared by identity. */
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
   * A channel is about to be registered. False: its registration has begun already, and this one
   * must be refused. Netty only checks whether a channel <em>is</em> registered: two registrations
   * at once would both pass, the handle would be registered twice, and one of the two would stay
   * for good. A registration whose future is done has ended, even if its thread has not yet called
   * {@link #remove}: the channel may have left its loop since.
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

  /** The registration has ended: from here on Netty knows whether the channel is registered. */
  void remove(Channel channel, ChannelFuture registration) {
    if (channel.unsafe() instanceof IoHandle handle) {
      attempts.computeIfPresent(
          handle, (h, other) -> other.registration == registration ? null : other);
    }
  }

  /**
   * The channel of a handle that is being registered; null if the handle was registered by itself.
   */
  @Nullable Channel channelOf(IoHandle handle) {
    Attempt attempt = attempts.get(handle);
    return attempt == null ? null : attempt.channel;
  }

  /** How many there are. */
  int size() {
    return attempts.size();
  }
}

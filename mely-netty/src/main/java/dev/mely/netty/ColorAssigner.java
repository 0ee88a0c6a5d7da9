package dev.mely.netty;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Decides which channels share a color. Channels of one color never run in parallel, so what they
 * share needs no lock.
 *
 * <pre>{@code
 * // All connections of one tenant exclude each other.
 * ColorAssigner byTenant = channel -> channel.attr(TENANT).get();
 * }</pre>
 *
 * <p>The key is known here alone, for as long as it has a channel: it may be an object that holds
 * its channels, such as a room, and its color is not that of {@link MelyEventLoopGroup#color}.
 *
 * <p>Called once per channel, when it is registered with the group: its attributes, its parent and
 * its addresses are set, its pipeline is not complete yet. Any thread may call it, so it must be
 * thread-safe. What it throws fails the registration, and closes the channel.
 */
@FunctionalInterface
public interface ColorAssigner {
  /**
   * Names the color of a channel.
   *
   * @param channel the channel that is about to be registered
   * @return a key: channels with equal keys have the same color; null: as without an assigner
   */
  @Nullable Object assign(Channel channel);
}

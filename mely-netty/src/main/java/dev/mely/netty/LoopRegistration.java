package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A registration of a channel with an event loop. The static methods handle a set of them that
 * takes no memory for one element, which is all that nearly every loop has: null if empty, the
 * registration itself if it is the only one, else a {@link Set}. They return the set after the
 * change. Confined to the color.
 */
interface LoopRegistration extends IoRegistration {
  /** The channel that is registered, if it is known. */
  @Nullable Channel channel();

  /** Section: registers with the I/O handler. Once, before the registration is handed out. */
  void registerWith(IoHandler io) throws Exception;

  /** Color only: the I/O handler and the loop have the registration; tells the channel. */
  void afterRegister();

  static Object with(@Nullable Object all, LoopRegistration one) {
    if (all == null) {
      return one;
    }
    Set<LoopRegistration> many =
        all instanceof LoopRegistration first ? new HashSet<>(Set.of(first)) : set(all);
    many.add(one);
    return many;
  }

  static @Nullable Object without(@Nullable Object all, LoopRegistration one) {
    if (all == null || all instanceof LoopRegistration) {
      return all == one ? null : all;
    }
    Set<LoopRegistration> many = set(all);
    many.remove(one);
    return many.isEmpty() ? null : many;
  }

  static List<LoopRegistration> list(@Nullable Object all) {
    return all == null
        ? List.of()
        : all instanceof LoopRegistration one ? List.of(one) : List.copyOf(set(all));
  }

  /** The channels that are known. */
  static List<Channel> channels(@Nullable Object all) {
    List<Channel> channels = new ArrayList<>();
    for (LoopRegistration registration : list(all)) {
      Channel channel = registration.channel();
      if (channel != null) {
        channels.add(channel);
      }
    }
    return channels;
  }

  @SuppressWarnings("unchecked") // see with
  private static Set<LoopRegistration> set(Object all) {
    return (Set<LoopRegistration>) all;
  }
}

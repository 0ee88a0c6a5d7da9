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
 * A registration of an event loop, and a set of them that takes no memory as long as it holds one,
 * as that of nearly every loop does: it is then the registration itself, else a {@link Set}, and
 * null if empty. Each change returns what stands for the set from then on. Confined to the color.
 */
interface Served extends IoRegistration {
  /** Whom the registration serves, if known. */
  @Nullable Channel channel();

  /** Section: enters the handler. Once, before the registration is handed out. */
  void enter(IoHandler io) throws Exception;

  /** Color only: the registration has been entered, and the loop knows it. */
  void entered();

  static Object with(@Nullable Object all, Served one) {
    if (all == null) {
      return one;
    }
    Set<Served> many = all instanceof Served first ? new HashSet<>(Set.of(first)) : set(all);
    many.add(one);
    return many;
  }

  static @Nullable Object without(@Nullable Object all, Served one) {
    if (all == null || all instanceof Served) {
      return all == one ? null : all;
    }
    Set<Served> many = set(all);
    many.remove(one);
    return many.isEmpty() ? null : many;
  }

  static List<Served> list(@Nullable Object all) {
    return all == null
        ? List.of()
        : all instanceof Served one ? List.of(one) : List.copyOf(set(all));
  }

  /** The channels that are known. */
  static List<Channel> channels(@Nullable Object all) {
    List<Channel> channels = new ArrayList<>();
    for (Served registration : list(all)) {
      Channel channel = registration.channel();
      if (channel != null) {
        channels.add(channel);
      }
    }
    return channels;
  }

  @SuppressWarnings("unchecked") // see with
  private static Set<Served> set(Object all) {
    return (Set<Served>) all;
  }
}

package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoRegistration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The registrations of an event loop, and their channels if known: a map that costs little as long
 * as it holds one entry, as that of nearly every loop does. Each change returns the map to use from
 * then on. Confined to the color.
 */
final class Served {
  private Served() {}

  static Map<IoRegistration, @Nullable Channel> with(
      Map<IoRegistration, @Nullable Channel> served,
      IoRegistration registration,
      @Nullable Channel channel) {
    if (served.isEmpty()) {
      return Collections.singletonMap(registration, channel);
    }
    Map<IoRegistration, @Nullable Channel> many =
        served instanceof HashMap ? served : new HashMap<>(served);
    many.put(registration, channel);
    return many;
  }

  static Map<IoRegistration, @Nullable Channel> without(
      Map<IoRegistration, @Nullable Channel> served, IoRegistration registration) {
    if (!(served instanceof HashMap)) {
      return served.containsKey(registration) ? Map.of() : served;
    }
    served.remove(registration);
    return served.isEmpty() ? Map.of() : served;
  }

  /** The channels that are known. */
  static List<Channel> channels(Map<IoRegistration, @Nullable Channel> served) {
    List<Channel> channels = new ArrayList<>();
    for (Channel channel : served.values()) {
      if (channel != null) {
        channels.add(channel);
      }
    }
    return channels;
  }
}

package dev.mely.netty.monitor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A group of event loops, in one second.
 *
 * @param name to tell groups apart
 * @param kind {@link #MELY} or {@link #NETTY}
 * @param channels that are registered
 * @param stealCostMicros what a steal is taken to cost; null: nothing is stolen
 * @param running cores that ran something, on average
 * @param queued share of the time in which something waited for a core while another one was idle:
 *     0 to 1
 * @param more cores that would have run something too, had all that waited been taken by idle ones
 * @param cores by number
 * @param steals who stole from whom
 * @param colors the heaviest ones; of Netty's groups these are channels
 * @param handlers the heaviest ones; none of Netty's groups
 * @param memory of the cores, if the group has a working set
 */
record GroupFigures(
    String name,
    String kind,
    int channels,
    @Nullable Double stealCostMicros,
    double running,
    double queued,
    double more,
    List<CoreFigures> cores,
    List<Steals> steals,
    List<Heavy> colors,
    List<Heavy> handlers,
    List<Memory> memory) {
  static final String MELY = "Mely";
  static final String NETTY = "Netty";

  /** How many colors and handlers are told. */
  static final int HEAVIEST = 10;

  GroupFigures {
    cores = List.copyOf(cores);
    steals = List.copyOf(steals);
    colors = List.copyOf(colors);
    handlers = List.copyOf(handlers);
    memory = List.copyOf(memory);
  }

  Json json() {
    return new Json()
        .put("name", name)
        .put("kind", kind)
        .put("channels", channels)
        .put("stealCostMicros", stealCostMicros)
        .put("sharing", new Json().put("running", running).put("queued", queued).put("more", more))
        .put("cores", cores, CoreFigures::json)
        .put("steals", steals, Steals::json)
        .put("colors", colors, Heavy::json)
        .put("handlers", handlers, Heavy::json)
        .put("memory", memory, Memory::json);
  }

  /**
   * How many colors one core stole from another one.
   *
   * @param victim number of the core that had them
   * @param thief number of the core that stole them
   */
  record Steals(int victim, int thief, long count) {
    Json json() {
      return new Json().put("victim", victim).put("thief", thief).put("count", count);
    }
  }

  /**
   * A core's part of the working set.
   *
   * @param name of its thread
   * @param used bytes of live buffers
   * @param size of the slab in bytes
   * @param fallbacks blocks that came from elsewhere, so far
   */
  record Memory(String name, long used, long size, long fallbacks) {
    Json json() {
      return new Json()
          .put("name", name)
          .put("used", used)
          .put("size", size)
          .put("fallbacks", fallbacks);
    }
  }
}

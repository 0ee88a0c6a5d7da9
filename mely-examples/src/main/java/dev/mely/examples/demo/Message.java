package dev.mely.examples.demo;

import com.google.gson.JsonElement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What pages are told, as JSON with these names. What is not known yet is null.
 *
 * @param turn whose turn was measured last
 * @param progress what is done while nothing is measured
 * @param ratio Mely's figures divided by Netty's
 */
record Message(
    Settings settings,
    Limits limits,
    @Nullable String turn,
    @Nullable String progress,
    List<Figures> sides,
    Ratio ratio) {
  Message {
    sides = List.copyOf(sides);
  }

  /**
   * What can be set.
   *
   * @param cores at most
   * @param connections in all
   */
  record Limits(int cores, int connections) {}

  /**
   * One side.
   *
   * @param group the monitor's figures of its last turn
   * @param perSecond answers to busy requests in its last turn
   * @param cpus that its server used in its last turn
   */
  record Figures(
      String id,
      String title,
      @Nullable JsonElement group,
      @Nullable Double perSecond,
      Minute minute,
      @Nullable Double cpus) {
    static Figures of(Side side, History history) {
      Children.@Nullable Turn last = history.last();
      return new Figures(
          side.id(),
          side.title(),
          last == null ? null : last.group(),
          last == null ? null : (double) last.result().answers(),
          history.minute(),
          last == null ? null : last.cpus());
    }
  }

  /**
   * The turns of a minute, with the same settings.
   *
   * @param perSecond answers to busy requests
   * @param p50Millis median of their latencies
   * @param p99Millis their 99th percentile
   * @param lightP99Millis the same of light connections
   */
  record Minute(
      @Nullable Double perSecond,
      @Nullable Double p50Millis,
      @Nullable Double p99Millis,
      @Nullable Double lightP99Millis) {}

  /** Each as in {@link Minute}. */
  record Ratio(@Nullable Double perSecond, @Nullable Double p99, @Nullable Double lightP99) {
    static final Ratio UNKNOWN = new Ratio(null, null, null);

    static Ratio of(Minute netty, Minute mely) {
      return new Ratio(
          divided(mely.perSecond, netty.perSecond),
          divided(mely.p99Millis, netty.p99Millis),
          divided(mely.lightP99Millis, netty.lightP99Millis));
    }

    private static @Nullable Double divided(@Nullable Double a, @Nullable Double b) {
      return a == null || b == null || b == 0 ? null : a / b;
    }
  }
}

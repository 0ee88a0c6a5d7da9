package dev.mely.netty.monitor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a page is told once a second.
 *
 * @param at when, in milliseconds since 1970
 * @param seconds how long the time was that the figures are of
 * @param cpus that the process may use
 * @param processCpus that the process used on average; null: not known
 * @param groups that are watched
 */
record Figures(
    long at, double seconds, int cpus, @Nullable Double processCpus, List<GroupFigures> groups) {
  Figures {
    groups = List.copyOf(groups);
  }

  String json() {
    return new Json()
        .put("at", at)
        .put("seconds", seconds)
        .put("cpus", cpus)
        .put("processCpus", processCpus)
        .put("groups", groups, GroupFigures::json)
        .toString();
  }
}

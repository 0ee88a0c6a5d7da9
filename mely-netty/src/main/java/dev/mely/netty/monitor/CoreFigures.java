package dev.mely.netty.monitor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A core, or a loop of Netty's, in one second.
 *
 * @param busy share of the time in which its thread did not wait: 0 to 1
 * @param waiting how many colors waited for it, on average; of Netty's loops: channels
 * @param events that it ran, per second; of Netty's loops: channels that it served
 * @param steals colors that it stole, per second
 * @param now what it runs at the end of the second; null: nothing
 * @param stuckMillis for how long it has been in one handler; 0: not for long
 * @param stack of its thread, if it is stuck
 */
record CoreFigures(
    String name,
    double busy,
    double waiting,
    double events,
    double steals,
    @Nullable String now,
    long stuckMillis,
    List<StackTraceElement> stack) {
  CoreFigures {
    stack = List.copyOf(stack);
  }

  Json json() {
    return new Json()
        .put("name", name)
        .put("busy", busy)
        .put("waiting", waiting)
        .put("events", events)
        .put("steals", steals)
        .put("now", now)
        .put("stuckMillis", stuckMillis)
        .putStrings("stack", stack.stream().map(StackTraceElement::toString).toList());
  }
}

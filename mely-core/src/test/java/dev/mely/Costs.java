package dev.mely;

import java.time.Duration;

/** Handlers that do nothing, of declared cost. A steal is expected to take some microseconds. */
final class Costs {
  static final Handler<Object> LONG = of(100_000, 1);
  static final Handler<Object> MIDDLE = of(8_000, 1);
  static final Handler<Object> SHORT = of(10, 1);

  private Costs() {}

  static Handler<Object> of(long nanos, int penalty) {
    return Handler.of(e -> {}).cost(Duration.ofNanos(nanos)).penalty(penalty);
  }
}

package dev.mely;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Takes notes of events and the cores that run them: "a@1". */
final class RanWhere {
  /** Of each event: it is worth stealing. */
  static final Duration COST = Duration.ofMillis(1);

  final List<String> list = new ArrayList<>();

  void post(StillMely still, Color color, String name) {
    still.mely.register(color, noteAt(still), name);
  }

  Handler<Object> noteAt(StillMely still) {
    return Handler.of(e -> list.add(e + "@" + still.mely.inspect().currentCore()))
        .cost(COST)
        .penalty(1);
  }
}

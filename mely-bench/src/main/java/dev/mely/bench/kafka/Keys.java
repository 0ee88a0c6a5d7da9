package dev.mely.bench.kafka;

import dev.mely.bench.Labels;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** How records are spread over keys. */
enum Keys {
  /** Each key is as likely as the others. */
  EVEN,

  /** One key has half of the records. */
  SKEWED,

  /** One key after the other, and again from the first. */
  CYCLE;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Keys parse(String name) {
    return Labels.parse("distribution of keys", name, List.of(values()), Keys::label);
  }

  /** Chooses the key of a record, from 0 to below {@code count}. */
  int choose(SplittableRandom random, int record, int count) {
    return switch (this) {
      case EVEN -> random.nextInt(count);
      case SKEWED -> random.nextBoolean() ? 0 : random.nextInt(count);
      case CYCLE -> record % count;
    };
  }
}

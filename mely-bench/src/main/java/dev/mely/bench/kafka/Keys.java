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
  SKEWED;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Keys parse(String name) {
    return Labels.parse("distribution of keys", name, List.of(values()), Keys::label);
  }

  /** Draws a key, from 0 to below {@code count}. */
  int draw(SplittableRandom random, int count) {
    return this == SKEWED && random.nextBoolean() ? 0 : random.nextInt(count);
  }
}

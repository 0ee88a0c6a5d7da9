package dev.mely.netty;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The system property that switches random migration on for every group of the process: it tests a
 * program without changing its code.
 */
final class RandomMigration {
  /** Its value is the seed, a whole number in the range of a long. */
  static final String PROPERTY = "dev.mely.netty.randomMigration";

  /** Whether the warning has been logged: once in the life of the process. */
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private RandomMigration() {}

  /**
   * Returns the seed that a group takes.
   *
   * @param given by the builder; null: none
   * @return the builder's, else the property's; null: no random migration
   * @throws IllegalArgumentException if the property is no whole number
   */
  static @Nullable Long seed(@Nullable Long given) {
    String text = System.getProperty(PROPERTY);
    if (given != null || text == null) {
      return given;
    }
    long seed;
    try {
      seed = Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "system property "
              + PROPERTY
              + " must be the seed of random migration, a whole number from "
              + Long.MIN_VALUE
              + " to "
              + Long.MAX_VALUE
              + ", but is '"
              + text
              + "'",
          e);
    }
    if (!TOLD.getAndSet(true)) {
      // A warning: a property that was forgotten costs time at every event.
      Log.warn(
          "system property "
              + PROPERTY
              + " is set: colors go to cores drawn at random, in every group, with seed "
              + seed,
          null);
    }
    return seed;
  }
}

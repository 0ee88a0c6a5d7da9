package dev.mely.netty;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The system property that switches random migration on for every group of the process, however it
 * is constructed: that is how a program that nobody wants to change is tried.
 */
final class RandomMigration {
  /** Its value is the seed of the draw, a whole number in the range of a long. */
  static final String PROPERTY = "dev.mely.netty.randomMigration";

  /** Whether the log has been told: once in the life of the process. */
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
      // A warning: whoever forgets the property pays for it at every event.
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

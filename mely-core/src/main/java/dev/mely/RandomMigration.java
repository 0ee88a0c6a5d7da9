package dev.mely;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The system property that switches random migration on for every runtime of the process: a test
 * switch, for programs whose source is not to be changed. See {@link RandomPlacement}.
 */
final class RandomMigration {
  /** Its value is the seed of the draw, a whole number in the range of a long. */
  static final String PROPERTY = "dev.mely.randomMigration";

  private static final System.Logger LOGGER = System.getLogger("dev.mely");

  /** Whether the warning has been logged: once in the life of the process. */
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private RandomMigration() {}

  /**
   * Returns the seed that the property gives.
   *
   * @return null: it is not set
   * @throws IllegalArgumentException if it is no whole number
   */
  static @Nullable Long seed() {
    String text = System.getProperty(PROPERTY);
    if (text == null) {
      return null;
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
      // A warning: a property that is left set by mistake costs time at every event.
      LOGGER.log(
          System.Logger.Level.WARNING,
          "system property "
              + PROPERTY
              + " is set: colors go to cores drawn at random, in every runtime, with seed "
              + seed);
    }
    return seed;
  }
}

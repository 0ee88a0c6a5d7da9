package dev.mely;

import dev.mely.flight.Flight;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The debug switch: a color that becomes ready, or whose batch is over, goes to a random core.
 * Colors then move all the time, not only when they are stolen. Any thread.
 */
final class RandomPlacement {
  private final AtomicLong state;
  private final int cores;

  private RandomPlacement(long seed, int cores) {
    this.state = new AtomicLong(seed);
    this.cores = cores;
  }

  /** Null if colors stay. */
  static @Nullable RandomPlacement of(Settings settings) {
    return settings.randomMigration ? new RandomPlacement(settings.seed, settings.cores) : null;
  }

  /** Draws the core at which a color, which is the caller's and not pinned, is to wait. */
  int next(Color color) {
    int from = color.core();
    int to = draw();
    if (to != from && Flight.watchesMigrations()) {
      Flight.migrated(from, to, color);
    }
    return to;
  }

  private int draw() {
    long z = state.getAndAdd(0x9E3779B97F4A7C15L);
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return (int) Long.remainderUnsigned(z ^ (z >>> 31), cores);
  }
}

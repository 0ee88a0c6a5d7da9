package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A runtime of two cores and three colors on real threads. When the test is over, all that it has
 * registered must have run, and nothing may have been thrown but what the test has taken out.
 */
final class TwoCores implements AfterEachCallback {
  /** What handlers have thrown. */
  final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();

  final Mely mely =
      Mely.builder()
          .cores(2)
          .pinned(false)
          .errorHandler((color, event, error) -> errors.add(error))
          .build();

  /** At the first core. */
  final Color a = mely.newColor(0);

  /** At the second core. */
  final Color b = mely.newColor(1);

  /** At the first core. */
  final Color c = mely.newColor(0);

  /** A handler that waits for another: they must run at the same time. */
  static void meet(CyclicBarrier barrier) throws Exception {
    barrier.await(120, TimeUnit.SECONDS);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    assertTrue(mely.shutdown(Duration.ofSeconds(60)).drained());
    assertEquals(List.of(), List.copyOf(errors));
  }
}

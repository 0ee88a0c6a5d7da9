package dev.mely.bench.micro;

import dev.mely.Handler;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Memory of an idle color that has had one event: the difference of the heap after full GCs.
 *
 * @param <C> type of a color
 */
final class IdleColors<C> {
  private static final int AT_A_TIME = 10_000;
  private static final Duration COST = Duration.ofNanos(20);

  private final Contestant<C> contestant;
  private final Handler<Job> kind;

  IdleColors(Contestant<C> contestant) {
    this.contestant = contestant;
    this.kind = contestant.kind(COST, 1);
  }

  /**
   * Makes colors and lets each run one event.
   *
   * @return their memory in bytes
   */
  long measure(int count) throws InterruptedException {
    List<C> colors = new ArrayList<>(count); // allocated before the measurement
    long before = heap();
    while (colors.size() < count) {
      int n = Math.min(AT_A_TIME, count - colors.size());
      CountDownLatch ran = new CountDownLatch(n);
      for (int i = 0; i < n; i++) {
        C color = contestant.newColor(i % contestant.cores());
        colors.add(color);
        contestant.register(color, new Once(kind, ran));
      }
      ran.await();
    }
    long after = heap();
    colors.forEach(contestant::retire);
    return after - before;
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static final class Once extends Job {
    private final CountDownLatch ran;

    Once(Handler<Job> kind, CountDownLatch ran) {
      super(kind);
      this.ran = ran;
    }

    @Override
    public void run() {
      ran.countDown();
    }
  }
}

package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.report.Statistics;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bounds of pending events, kept while many threads push against them. */
@Timeout(300)
class OverloadStressTest {
  /** accepted = run + dropped, no color ever holds too much, and all room comes back. */
  @Test
  void accountIsExactUnderStress() throws InterruptedException {
    for (int seed = 0; seed < 6; seed++) {
      stress(seed, seed % 2 == 0 ? MelyBuilder.Overflow.REJECT : MelyBuilder.Overflow.BLOCK);
    }
  }

  private static void stress(int seed, MelyBuilder.Overflow overflow) throws InterruptedException {
    int inAll = 20;
    int perColor = 6;
    ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    Mely mely =
        Mely.builder()
            .cores(3)
            .pinned(false)
            .maxPending(inAll)
            .maxPendingPerColor(perColor)
            .overflow(overflow)
            .errorHandler((color, event, error) -> errors.add(error))
            .build();
    Overload overload = mely.scheduler().overload;
    assertNotNull(overload);
    BoundedColor[] colors = new BoundedColor[5];
    for (int i = 0; i < colors.length; i++) {
      colors[i] = (BoundedColor) mely.newColor(i % 3);
    }
    Account must = new Account(false, colors);
    Account may = new Account(true, colors);
    AtomicInteger accepted = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    Threads producers = new Threads();
    for (int p = 0; p < 3; p++) {
      SplittableRandom random = new SplittableRandom(seed * 10L + p);
      producers.add(
          () -> {
            for (int i = 0; i < 4_000; i++) {
              int color = random.nextInt(colors.length);
              Account account = random.nextInt(3) == 0 ? may : must;
              try {
                mely.register(colors[color], account, color);
                accepted.incrementAndGet();
              } catch (RejectedExecutionException e) {
                refused.incrementAndGet();
                String message = String.valueOf(e.getMessage());
                if (!message.contains(" 6 pending") && !message.contains(" 20 pending")) {
                  errors.add(e);
                }
              }
            }
          });
    }
    producers.run();
    mely.close();
    String where = "seed " + seed;
    assertEquals(List.of(), List.copyOf(errors), where);
    Statistics statistics = mely.inspect().statistics();
    assertEquals(12_000, accepted.get() + refused.get(), where);
    assertEquals(accepted.get(), must.ran.get() + may.ran.get() + may.dropped.get(), where);
    assertEquals(0, must.dropped.get(), where);
    assertEquals(may.dropped.get(), statistics.dropped(), where);
    assertEquals(refused.get(), statistics.refused(), where);
    assertEquals(must.ran.get() + may.ran.get(), statistics.total().events(), where);
    assertEquals(0, must.tooMany.get() + may.tooMany.get(), where);
    if (overflow == MelyBuilder.Overflow.BLOCK) {
      assertEquals(0, refused.get(), where);
    }
    for (BoundedColor color : colors) {
      assertEquals(0, color.load(), where);
    }
    for (int i = 0; i < inAll; i++) {
      overload.admit(colors[i % colors.length], OverloadTest.event());
    }
    BoundedColor least = colors[0];
    assertThrows(
        RejectedExecutionException.class, () -> overload.admit(least, OverloadTest.event()), where);
  }

  /** Counts what happens to events, whose payload is the number of their color. */
  private static final class Account extends Handler<Integer> {
    final AtomicInteger ran = new AtomicInteger();
    final AtomicInteger dropped = new AtomicInteger();
    final AtomicInteger tooMany = new AtomicInteger();
    private final boolean mayDrop;
    private final BoundedColor[] colors;

    Account(boolean mayDrop, BoundedColor[] colors) {
      this.mayDrop = mayDrop;
      this.colors = colors;
    }

    @Override
    public void handle(Integer color) {
      ran.incrementAndGet();
      long load = colors[color].load();
      if (load < 0 || load > 12) {
        tooMany.incrementAndGet();
      }
    }

    @Override
    protected boolean isDroppable() {
      return mayDrop;
    }

    @Override
    protected void rejected(Integer color) {
      dropped.incrementAndGet();
    }
  }
}

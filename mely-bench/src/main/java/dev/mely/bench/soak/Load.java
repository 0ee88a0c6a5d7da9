package dev.mely.bench.soak;

import dev.mely.Handler;
import dev.mely.Mely;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** The handler: mostly does little; sometimes spins, blocks, throws, or registers more events. */
final class Load extends Handler<SoakEvent> {
  private static final int CHILD = 10;
  private static final int SPIN = 50;
  private static final int THROW = 500;
  private static final int BLOCK = 20_000;
  private static final int SPIN_NANOS = 30_000;
  private static final int BLOCK_MILLIS = 20;

  private final Mely mely;
  private final Ledger ledger;

  /** The planted fault: after how many events one is not counted; 0: never. */
  private final AtomicLong untilForgotten;

  Load(Mely mely, Ledger ledger, long forget) {
    this.mely = mely;
    this.ledger = ledger;
    this.untilForgotten = new AtomicLong(forget);
  }

  @Override
  public void handle(SoakEvent event) throws InterruptedException {
    if (!event.strand.finish(event)) {
      ledger.outOfOrder.increment();
    }
    if (untilForgotten.get() == 0 || untilForgotten.decrementAndGet() != 0) {
      ledger.ran.increment();
    }
    // Not from the seed: the order of events on threads is not reproducible either.
    RandomGenerator random = ThreadLocalRandom.current();
    if (random.nextInt(CHILD) == 0) {
      register(new SoakEvent(event.strand, SoakEvent.ANYWHERE));
    }
    if (random.nextInt(SPIN) == 0) {
      long end = System.nanoTime() + random.nextInt(SPIN_NANOS);
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
    }
    if (random.nextInt(BLOCK) == 0) {
      Thread.sleep(random.nextInt(BLOCK_MILLIS));
    }
    if (random.nextInt(THROW) == 0) {
      ledger.thrown.increment();
      if (random.nextInt(4) == 0) {
        throw new AssertionError("an error, on purpose");
      }
      throw new IllegalStateException("a failure, on purpose");
    }
  }

  @Override
  protected void rejected(SoakEvent event) {
    if (!event.strand.finish(event)) {
      ledger.outOfOrder.increment();
    }
    ledger.rejected.increment();
  }

  /** Registers an event; true if it was accepted. */
  boolean register(SoakEvent event) {
    ledger.accepted.increment(); // counted before it can run
    try {
      mely.register(event.strand.color, this, event);
      return true;
    } catch (RejectedExecutionException e) {
      ledger.accepted.decrement();
      ledger.refused.increment();
      return false;
    }
  }
}

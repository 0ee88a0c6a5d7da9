package dev.mely.bench.baseline;

import dev.mely.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What every contestant must keep: no job is lost or runs twice, those of a color run one at a
 * time, and in the order in which each sender registered them. Threads from outside and the jobs
 * themselves register; all colors begin on core 0, so that the other cores have reason to steal.
 */
final class Rules<C> {
  private static final int COLORS = 24;
  private static final int SENDERS = 3;
  private static final int JOBS = 4_000;
  private static final int WORK = 40;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final Contestant<C> contestant;
  private final Handler<Job> kind;
  private final List<Lane> lanes = new ArrayList<>();
  private final AtomicLong ran = new AtomicLong();
  private final AtomicReference<@Nullable String> broken = new AtomicReference<>();

  Rules(Contestant<C> contestant) {
    this.contestant = contestant;
    // Worth stealing by any policy.
    this.kind = contestant.kind(Duration.ofMillis(1), 1);
    for (int i = 0; i < COLORS; i++) {
      lanes.add(new Lane(i));
    }
  }

  /** Breaks one of the rules, if the contestant does: says which; null: none was broken. */
  @Nullable String firstBroken() throws InterruptedException {
    List<Thread> senders = new ArrayList<>();
    for (int s = 0; s < SENDERS; s++) {
      int sender = s;
      senders.add(new Thread(() -> send(sender)));
    }
    senders.forEach(Thread::start);
    for (Thread sender : senders) {
      sender.join();
    }
    // Each job but the answers is answered by one in the next color.
    long expected = 2L * SENDERS * JOBS;
    long start = System.nanoTime();
    while (ran.get() < expected && System.nanoTime() - start < PATIENCE_NANOS) {
      if (broken.get() != null) {
        return broken.get();
      }
      Thread.sleep(1);
    }
    Thread.sleep(5); // whatever runs twice
    if (broken.get() == null && ran.get() != expected) {
      return ran.get() + " jobs have run, not " + expected;
    }
    return broken.get();
  }

  private void send(int sender) {
    for (int i = 0; i < JOBS; i++) {
      Lane lane = lanes.get((i * 7 + sender) % COLORS);
      contestant.moveTo(lane.color, 0); // if it is idle
      lane.send(sender, false);
    }
  }

  /** A color, and what its jobs have to say about it. */
  private final class Lane {
    final int number;
    final C color;
    final AtomicBoolean occupied = new AtomicBoolean();

    // Written by the sender of that number; the last one by the jobs of the lane before.
    final int[] sent = new int[SENDERS + 1];

    // Plain: that a job sees what the one before it wrote is part of the test.
    final int[] seen = new int[SENDERS + 1];
    long result;

    Lane(int number) {
      this.number = number;
      this.color = contestant.newColor(0);
    }

    void send(int sender, boolean answer) {
      contestant.register(color, new Step(this, sender, ++sent[sender], answer));
    }

    void run(int sender, int turn, boolean answer) {
      if (!occupied.compareAndSet(false, true)) {
        broken.compareAndSet(null, "two jobs of color " + number + " at a time");
      }
      if (++seen[sender] != turn) {
        broken.compareAndSet(null, turn + " of sender " + sender + " in place of " + seen[sender]);
      }
      result = dev.mely.bench.Work.spin(WORK, result);
      if (!answer) {
        // All answers to a color come from the jobs of one other, so that they have an order.
        lanes.get((number + 1) % COLORS).send(SENDERS, true);
      }
      occupied.set(false);
      ran.incrementAndGet();
    }
  }

  private final class Step extends Job {
    private final Lane lane;
    private final int sender;
    private final int turn;
    private final boolean answer;

    Step(Lane lane, int sender, int turn, boolean answer) {
      super(Rules.this.kind);
      this.lane = lane;
      this.sender = sender;
      this.turn = turn;
      this.answer = answer;
    }

    @Override
    public void run() {
      lane.run(sender, turn, answer);
    }
  }
}

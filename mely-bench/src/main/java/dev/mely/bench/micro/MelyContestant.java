package dev.mely.bench.micro;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Statistics;
import dev.mely.StealPolicy;
import dev.mely.bench.Work;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/** Mely: a color is a {@link Color}, an event an {@link Event} that the benchmark owns. */
final class MelyContestant implements Contestant {
  private final Tally tally = new Tally();
  private final Allocations allocations = new Allocations();
  private final Semaphore over = new Semaphore(0);
  private final Handler<Referee> judge = Handler.of(Referee::judge);
  private final Mely mely;
  private final Task[] tasks;
  private final Referee referee = new Referee();
  private final Color refereeColor;

  MelyContestant(StealPolicy policy, int cores, boolean pinned, Load load, Body body) {
    mely =
        Mely.builder()
            .cores(cores)
            .policy(policy)
            .pinned(pinned)
            .threadFactory(this::newThread)
            .build();
    refereeColor = mely.newPinnedColor(0);
    Map<CostClass, Handler<Task>> handlers = new EnumMap<>(CostClass.class);
    for (CostClass c : CostClass.values()) {
      handlers.put(c, Handler.of(task -> run(task, body), c.cost(), 1));
    }
    Color[] colors = new Color[load.colors()];
    for (int i = 0; i < colors.length; i++) {
      colors[i] = mely.newColor(0);
    }
    tasks = new Task[load.events()];
    for (int i = 0; i < tasks.length; i++) {
      int cycles = load.cycles(i);
      tasks[i] =
          new Task(
              i,
              Work.iterations(Work.nanos(cycles)),
              colors[load.color(i)],
              Objects.requireNonNull(handlers.get(CostClass.of(cycles))));
    }
  }

  private Thread newThread(Runnable worker) {
    Thread thread = new TallyThread(worker, tally.newSlot());
    allocations.watch(thread);
    return thread;
  }

  private void run(Task task, Body body) {
    TallyThread worker = (TallyThread) Thread.currentThread();
    worker.result = body.run(task.index, task.iterations, worker.result);
    tally.count(worker.slot);
  }

  @Override
  public void play(int rounds) {
    referee.left = rounds;
    mely.register(refereeColor, judge, referee); // publishes the plain field above
    over.acquireUninterruptibly();
  }

  @Override
  public Figures figures() {
    Statistics.PerCore total = mely.statistics().total();
    return new Figures(
        tally.sum(),
        total.colorsStolen(),
        total.stolenNanos(),
        total.stealNanos(),
        total.takeovers(),
        total.parks(),
        total.wakeups(),
        allocations.bytes());
  }

  @Override
  public void close() {
    mely.close();
  }

  /** A worker that knows its slot, and the result of the last event that it ran. */
  private static final class TallyThread extends Thread {
    final int slot;
    long result;

    TallyThread(Runnable worker, int slot) {
      super(worker, "mely");
      this.slot = slot;
      setDaemon(true);
    }
  }

  /** An event of the load. */
  private static final class Task extends Event {
    final int index;
    final int iterations;
    final Color color;
    final Handler<Task> handler;

    Task(int index, int iterations, Color color, Handler<Task> handler) {
      this.index = index;
      this.iterations = iterations;
      this.color = color;
      this.handler = handler;
    }
  }

  /** Registers the rounds. Its fields belong to core 0 while it is pending or running. */
  private final class Referee extends Event {
    private int left;
    private long target;

    void judge() {
      if (tally.sum() < target) {
        mely.register(refereeColor, judge, this);
      } else if (left == 0) {
        over.release();
      } else {
        left--;
        target += tasks.length;
        begin();
        mely.register(refereeColor, judge, this);
      }
    }

    private void begin() {
      for (Task task : tasks) {
        Color color = task.color;
        // A color that was stolen in the last round comes home. One is let alone: that of the very
        // last event, if its worker has not yet let go of it. It stays where it is this time.
        if (color.core() != 0) {
          color.moveTo(0);
        }
        mely.register(color, task.handler, task);
      }
    }
  }
}

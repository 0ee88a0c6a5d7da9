package dev.mely;

import dev.mely.kit.Exploration;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whole small runtimes under Lincheck: real workers, real producers, pollers that wait on monitors.
 * Each ends when all its events have run; a lost event or wake-up leaves a thread waiting forever,
 * which Lincheck reports with the interleaving.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckRuntimeTest {

  @Test
  void noWakeUpIsLost() {
    sleepAndWake(OneCore.class).check();
  }

  @Test
  void countsOfSleepersAndSearchersComeOutEven() {
    counts(Counts.class).check();
  }

  @Test
  void stealsKeepOrderAndLoseNothing() {
    steals(TimeLeft.class).check();
  }

  @Test
  void thiefThatPutsAColorBackWakesItsCore() {
    putBack(Base.class).check();
  }

  @Test
  void colorThatMovesWhileItIsPostedToRunsItsEvents() {
    moves(TwoCores.class).check();
  }

  @Test
  void timerWakesItsCore() {
    timers(OneCore.class).check();
  }

  @Test
  void coreThatIsStuckIsLookedAfter() {
    stuck(Stuck.class).check();
  }

  @Test
  void whatIsAcceptedWhileTheRuntimeClosesRunsOrIsRejected() {
    close(Closing.class).check();
  }

  static Exploration sleepAndWake(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "post 0 0 0, post 0 0 1")
        .of("work 0", "post 0 0 0", "postUrgent 1 1 0");
  }

  static Exploration counts(Class<?> scenario) {
    return new Exploration(scenario)
        .of("sleep 0", "bring 0")
        .of("sleep 0", "bring 0", "callThief")
        .of("sleep 0", "sleep 1", "bring 0, bring 1")
        .times(4);
  }

  static Exploration steals(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "work 1", "post 0 0 0, post 1 0 0")
        .of("work 0", "work 1", "post 0 0 0, post 0 0 1");
  }

  static Exploration putBack(Class<?> scenario) {
    return new Exploration(scenario).after("post 2 0 0, post 0 0 0").of("work 0", "work 1");
  }

  static Exploration moves(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "work 1", "post 0 0 0, moveTo 0 1, post 0 0 1")
        .of("work 0", "work 1", "post 0 0 0, post 0 0 1", "moveTo 0 1");
  }

  static Exploration timers(Class<?> scenario) {
    return new Exploration(scenario).of("work 0", "schedule 0 1 0, post 0 0 0");
  }

  static Exploration stuck(Class<?> scenario) {
    return new Exploration(scenario).after("block 0 0 0, post 1 0 0").of("work 0", "work 1");
  }

  static Exploration close(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "post 0 0 0, post 0 0 1", "close")
        .of("work 0", "post 0 0 0", "post 0 1 0", "close");
  }

  /** One core, which sleeps and is woken. */
  public static class OneCore extends Running {
    public OneCore() {
      super(1, StealPolicy.OFF, 0);
    }
  }

  /** Two cores that never steal. */
  public static class TwoCores extends Running {
    public TwoCores() {
      super(2, StealPolicy.OFF, 0);
    }
  }

  /** Two cores; thieves look at the stealing-queue. */
  public static class TimeLeft extends Running {
    public TimeLeft() {
      super(2, StealPolicy.TIME_LEFT, 0);
    }
  }

  /** Two cores; thieves look at the core-queue, and find pinned colors there. */
  public static class Base extends Running {
    public Base() {
      super(2, StealPolicy.BASE, 0);
    }
  }

  /** Two cores and a clock that runs, so that a watcher notices who is stuck. */
  public static class Stuck extends Running {
    public Stuck() {
      super(2, StealPolicy.TIME_LEFT, 2_000_000);
    }
  }

  /** One core whose runtime is closed while events come. */
  public static class Closing extends Running {
    public Closing() {
      super(1, StealPolicy.OFF, 0);
    }

    /** As the thread that shuts down: waits for the worker to leave, then sweeps. */
    @Operation
    public void close() throws InterruptedException {
      end();
      awaitWorker();
      sweep();
    }
  }

  /**
   * A runtime that ends when two events have been dealt with. All colors begin at core 0; the last
   * is pinned there.
   */
  public abstract static class Running {
    private static final int EVENTS = 2;
    private final MonitorHost host;
    private final Scheduler scheduler;
    private final Timers timers;
    private final Color[] colors = new Color[3];
    private final SerialCheck[] checks = new SerialCheck[colors.length];
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger rejected = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Handler<Item> handler = new Costly();
    private boolean otherHasRun;
    private boolean left;

    Running(int cores, StealPolicy policy, long tick) {
      ErrorHandler errors = (color, event, error) -> failed(error);
      host = new MonitorHost(cores, tick);
      scheduler = host.newScheduler(policy, errors);
      timers = new Timers(scheduler);
      for (int i = 0; i < colors.length; i++) {
        colors[i] = new Color(host, 0, i == colors.length - 1);
        checks[i] = new SerialCheck(2);
      }
    }

    /** The worker of a core, to its end. */
    @Operation
    public void work(int core) {
      host.enter(core);
      Worker worker = new Worker(scheduler, timers, scheduler.core(core));
      while (worker.step() != WorkerState.EXIT) {
        // Everything happens in step.
      }
      workerLeft();
    }

    private synchronized void workerLeft() {
      left = true;
      notifyAll();
    }

    synchronized void awaitWorker() throws InterruptedException {
      while (!left) {
        wait();
      }
    }

    void sweep() {
      scheduler.sweep();
    }

    @Operation
    public void post(int color, int source, int number) {
      register(new Item(color, source, number, false));
    }

    /** An event whose color goes ahead of others. */
    @Operation
    public void postUrgent(int color, int source, int number) {
      Item item = new Item(color, source, number, false);
      item.attach(handler);
      accepted.incrementAndGet();
      scheduler.postUrgent(colors[color], item);
    }

    /** An event whose handler waits for an event of another color. */
    @Operation
    public void block(int color, int source, int number) {
      register(new Item(color, source, number, true));
    }

    private void register(Item item) {
      item.attach(handler);
      accepted.incrementAndGet();
      try {
        scheduler.post(colors[item.color], item);
      } catch (RejectedExecutionException e) {
        accepted.decrementAndGet();
      }
    }

    /** A timer that is due. */
    @Operation
    public void schedule(int color, int source, int number) {
      accepted.incrementAndGet();
      timers.schedule(
          new TimerEvent(colors[color], handler, new Item(color, source, number, false), 0, 0));
    }

    @Operation
    public void moveTo(int color, int core) {
      colors[color].moveTo(core);
    }

    private void failed(Throwable error) {
      failure.set(error);
      end();
    }

    void end() {
      scheduler.setPhase(Scheduler.CLOSED);
      for (int i = 0; i < scheduler.cores(); i++) {
        scheduler.core(i).poller.wakeup();
      }
    }

    @Validate
    public void check() {
      if (failure.get() != null) {
        throw new AssertionError(failure.get());
      }
      if (ran.get() + rejected.get() != accepted.get()) {
        throw new AssertionError(ran + " run and " + rejected + " rejected of " + accepted);
      }
      for (Color color : colors) {
        if (!color.toString().contains("idle") || color.pendingCount() != 0) {
          throw new AssertionError("left behind: " + color + " with " + color.pendingCount());
        }
      }
    }

    private void run(Item item) {
      checks[item.color].enter(item.source, item.number);
      if (!colors[item.color].isCurrent()) {
        throw new AssertionError("not inside " + colors[item.color]);
      }
      if (item.blocks) {
        awaitOther();
      } else {
        tellOther();
      }
      checks[item.color].leave();
      if (ran.incrementAndGet() == EVENTS) {
        end();
      }
    }

    private synchronized void awaitOther() {
      while (!otherHasRun) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }

    private synchronized void tellOther() {
      otherHasRun = true;
      notifyAll();
    }

    /** Worth stealing. */
    private final class Costly extends Handler<Item> {
      Costly() {
        super(Work.MEASURED.cost(Duration.ofMillis(1)).penalty(1));
      }

      @Override
      public void handle(Item item) {
        run(item);
      }

      @Override
      protected void rejected(Item item) {
        rejected.incrementAndGet();
      }
    }
  }

  private static final class Item extends Event {
    final int color;
    final int source;
    final int number;
    final boolean blocks;

    Item(int color, int source, int number, boolean blocks) {
      this.color = color;
      this.source = source;
      this.number = number;
      this.blocks = blocks;
    }
  }

  /** Sleepers, those who bring them work, and those who call thieves. */
  public static class Counts {
    private final MonitorHost host = new MonitorHost(2, 0);
    private final IdleCores idle = new IdleCores(0, 0);
    private final Settings settings = new SettingsBuilder().build();
    private final Core[] cores = {
      new Core(0, host.newPoller(0), settings, (color, why) -> {}, () -> {}),
      new Core(1, host.newPoller(1), settings, (color, why) -> {}, () -> {})
    };

    /** A worker without work: sleeps until it is brought some, or is called. */
    @Operation
    public void sleep(int number) throws Exception {
      Core core = cores[number];
      while (core.queue.poll() == null) {
        idle.publishParked(core);
        if (core.queue.isEmpty()) {
          core.poller.poll(Long.MAX_VALUE);
        }
        if (idle.retractParked(core)) {
          idle.stopSearching(core);
        }
      }
    }

    @Operation
    public void bring(int number) {
      cores[number].queue.offer(new Color(null, number, false));
      idle.wakeHome(cores[number]);
    }

    @Operation
    public void callThief() {
      if (idle.mayCallThief(cores[1])) {
        idle.callThief(cores[1], cores);
      }
    }

    @Validate
    public void check() {
      if (idle.idle() != 0 || idle.searching() != 0) {
        throw new AssertionError(idle.idle() + " idle, " + idle.searching() + " searching");
      }
    }
  }
}

package dev.mely.bench.soak;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Mely.Timer;
import dev.mely.MelyBuilder;
import dev.mely.StealPolicy;
import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** One runtime with random settings, random load, and a random end. */
final class Round {
  private static final int PRODUCERS = 2;
  private static final int STRANDS = 64;
  private static final int MAX_OPEN = 50_000;
  private static final int LOOK_EVENTS = 256;
  private static final int TIMER_EVENTS = 64;
  private static final int MAX_TIMERS = 5_000;
  private static final int DROP_EVENTS = 8;
  private static final long PATIENCE_SECONDS = 30;
  private static final List<StealPolicy> POLICIES =
      List.of(StealPolicy.ALL, StealPolicy.TIME_LEFT, StealPolicy.BASE, StealPolicy.OFF);

  private final Ledger ledger;
  private final SplittableRandom random;
  private final int cores;
  private final Queue<Thread> workers = new ConcurrentLinkedQueue<>();
  private final long forget;

  private volatile boolean ending;

  Round(Ledger ledger, SplittableRandom random, int cores, long forget) {
    this.ledger = ledger;
    this.random = random;
    this.cores = cores;
    this.forget = forget;
  }

  /** Runs for about this time. */
  void run(Duration time) throws InterruptedException {
    Mely mely = build();
    Load load = new Load(mely, ledger, forget);
    List<Thread> producers = new ArrayList<>();
    for (int i = 0; i < PRODUCERS; i++) {
      Producer producer = new Producer(mely, load, random.split());
      Thread thread = new Thread(producer, "soak producer " + i);
      producers.add(thread);
      thread.start();
    }
    Thread.sleep(time.toMillis());
    // In half of the rounds, producers go on during the shutdown, and are refused.
    boolean rude = random.nextBoolean();
    ending = !rude;
    if (!rude) {
      join(producers);
    }
    ShutdownReport report = mely.shutdown(Duration.ofMillis(rude ? random.nextInt(50) : 20_000));
    ending = true;
    join(producers);
    ledger.stuckCores.add(report.stuckCores().size());
    ledger.restarts.increment();
    settle();
  }

  private Mely build() {
    return Mely.builder()
        .cores(cores)
        .policy(POLICIES.get(random.nextInt(POLICIES.size())))
        .order(random.nextBoolean() ? MelyBuilder.Order.ROTATION : MelyBuilder.Order.CHEAPEST_FIRST)
        .batch(1 + random.nextInt(20))
        .stealOldest(random.nextBoolean())
        .maxPending(random.nextInt(4) == 0 ? 1_000 : 0)
        .pinned(random.nextBoolean())
        .threadFactory(this::newWorker)
        .errorHandler((color, event, error) -> ledger.reported.increment())
        .build();
  }

  private Thread newWorker(Runnable task) {
    Thread thread = new Thread(task, "soak core");
    workers.add(thread);
    return thread;
  }

  private long workersLeft() {
    return workers.stream().filter(Thread::isAlive).count();
  }

  private static void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Waits for the events of a core that was stuck in a handler. */
  private void settle() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (workersLeft() > 0 && System.nanoTime() - end < 0) {
      Thread.sleep(1);
    }
    ledger.mostThreadsLeft.accumulate(workersLeft());
  }

  /** A thread that registers events of its own colors, and starts timers. */
  private final class Producer implements Runnable {
    private final Mely mely;
    private final Load load;
    private final SplittableRandom dice;
    private final Strand[] strands = new Strand[STRANDS];
    private final List<Timer> timers = new ArrayList<>();
    private final Handler<Strand> fired = Handler.of(strand -> ledger.timersRan.increment());

    Producer(Mely mely, Load load, SplittableRandom dice) {
      this.mely = mely;
      this.load = load;
      this.dice = dice;
    }

    @Override
    public void run() {
      for (int n = 0; !ending && !mely.isShutdown(); n++) {
        if (n % LOOK_EVENTS == 0) {
          waitForRoom();
        }
        register();
        if (n % TIMER_EVENTS == 0 && timers.size() < MAX_TIMERS) {
          startTimer();
        }
      }
      awaitTimers();
    }

    private void waitForRoom() {
      while (ledger.open() > MAX_OPEN && !ending && !mely.isShutdown()) {
        nap();
      }
    }

    private void register() {
      Strand strand = strand();
      SoakEvent event = new SoakEvent(strand, strand.registered);
      if (load.register(event)) {
        strand.registered++;
      }
    }

    /** One of the live colors; sometimes replaces a color first, with its pending events. */
    private Strand strand() {
      int i = dice.nextInt(STRANDS);
      Strand strand = strands[i];
      if (strand == null || dice.nextInt(DROP_EVENTS) == 0) {
        strand = new Strand(mely.newColor());
        strands[i] = strand;
        ledger.colors.increment();
      }
      return strand;
    }

    private void startTimer() {
      Strand strand = strand();
      try {
        Duration delay = Duration.ofNanos(dice.nextInt(20_000_000));
        timers.add(mely.schedule(strand.color, fired, strand, delay));
        ledger.timersStarted.increment();
      } catch (RejectedExecutionException e) {
        return; // the runtime has ended
      }
      if (dice.nextInt(3) == 0) {
        timers.get(dice.nextInt(timers.size())).cancel();
      }
    }

    /** Waits for the timers, which would otherwise end with the runtime. */
    private void awaitTimers() {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      for (Timer timer : timers) {
        while (!timer.isDone() && System.nanoTime() - end < 0) {
          nap();
        }
        if (!timer.isDone()) {
          ledger.timersLeft.increment();
        }
      }
    }

    private void nap() {
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}

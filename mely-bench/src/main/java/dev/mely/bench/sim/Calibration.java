package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.Arrivals;
import dev.mely.bench.Compiling;
import dev.mely.bench.Retakes;
import dev.mely.bench.Spread;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures the costs of single steps on this machine. A sample is the fastest quartile of many
 * short rounds, since disturbances only make a round slower; a figure is the median of several
 * samples, interleaved with the other figures, each with new runtimes.
 */
final class Calibration {
  private static final int ROUNDS = 40;
  private static final int EVENTS = 20_000;
  private static final int BATCH = 10;

  /** Turns of two threads; fewer than events, as they are slow if another program runs, too. */
  private static final int TURNS = 2_000;

  private static final int DISTANCES = 6;

  /** After this time a worker is asleep; it then sleeps for the same time again on average. */
  private static final long ASLEEP_NANOS = 50_000;

  private static final int WAKE_UPS = 400;

  /** Number of representative delays, each of which stands for equally many measured ones. */
  private static final int SHARES = 500;

  /** A cache line from another core: the only figure with another name than in {@link Costs}. */
  private static final String LINE = "line";

  private static final AtomicLong HELD = new AtomicLong();

  private final List<Double> wakeDelays = new ArrayList<>();

  private Calibration() {}

  /**
   * The measurements.
   *
   * @param spreads of each figure's samples, by name
   * @param wakeDelays see {@link Costs}
   */
  record Measured(Map<String, Spread> spreads, List<Double> wakeDelays) {}

  /** Takes a sample of each figure of {@link Costs} that can be measured, by name. */
  private Map<String, Double> sample() {
    Map<String, Double> measured = new LinkedHashMap<>();
    Steps mely = steps(Configuration.MELY);
    measured.put("register", mely.register());
    measured.put("append", mely.append());
    measured.put("pick", mely.turn() / 2);
    measured.put("run", mely.run());
    measured.put("finish", mely.turn() / 2);
    Steps weighed = steps(Configuration.parse("mely-all"));
    double more = Math.max(0, weighed.chained() - mely.chained());
    measured.put("weighEvent", more);
    measured.put("weighTurn", Math.max(0, weighed.event() - mely.event() - more));
    double lock = lock();
    Steps libasync = steps(Configuration.LIBASYNC);
    Steps spinlock = steps(Configuration.SPINLOCK);
    double beside = Math.max(0, libasync.event() - 2 * lock);
    measured.put("lock", lock);
    measured.put("listRegister", beside / 2);
    measured.put("listRun", beside / 2);
    measured.put("colorQueue", Math.max(0, spinlock.event() - libasync.event()));
    WakeUp wakeUp = wakeUp();
    measured.put("wakeCall", wakeUp.call());
    List<Double> delays = wakeUp.delays();
    measured.put("wakeDelay", Spread.of(delays).median());
    wakeDelays.addAll(delays);
    measured.put(LINE, line());
    return measured;
  }

  /** Takes several samples of each figure. */
  static Measured measure(int samples) throws Exception {
    Calibration calibration = new Calibration();
    List<Map<String, Double>> taken =
        new Retakes()
            .inTurn("calibrating", samples, Map.of("here", calibration::sample))
            .getOrDefault("here", List.of());
    Map<String, Spread> spreads = new LinkedHashMap<>();
    for (String name : taken.get(0).keySet()) {
      spreads.put(name, Spread.of(taken.stream().map(s -> s.getOrDefault(name, 0.0)).toList()));
    }
    return new Measured(spreads, shares(calibration.wakeDelays));
  }

  /** Reduces many delays to a few: the mean of the shortest ones, and so on. */
  static List<Double> shares(List<Double> many) {
    double[] sorted = many.stream().mapToDouble(d -> d).sorted().toArray();
    int count = Math.min(SHARES, sorted.length);
    List<Double> means = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int from = (int) ((long) i * sorted.length / count);
      int to = (int) ((i + 1L) * sorted.length / count);
      means.add((double) Math.round(Arrays.stream(sorted, from, to).average().orElse(0)));
    }
    return means;
  }

  /** The medians; for costs that cannot be measured, those of a known similar machine. */
  static Costs costs(Measured measured) {
    Map<String, Object> changes = new LinkedHashMap<>();
    Map<String, Spread> spreads = measured.spreads();
    spreads.forEach((name, spread) -> changes.put(name, spread.median()));
    changes.put("wakeDelays", measured.wakeDelays());
    changes.remove(LINE);
    changes.put("lines", lines(Objects.requireNonNull(spreads.get(LINE)).median()));
    return Machines.costs(Machines.HERE).with(changes);
  }

  /**
   * Costs of a runtime's steps on one core, in nanoseconds.
   *
   * @param register registers an event of an idle color
   * @param append registers an event of a color with pending events
   * @param event total of an event of a distinct color
   * @param chained total of an event registered by its own color's handler
   */
  record Steps(double register, double append, double event, double chained) {
    /** An event of a batch: a chained one without its share of the batch's turn. */
    double run() {
      double rest = Math.max(0, event - register);
      return Math.max(0, (chained - append - rest / BATCH) / (1 - 1.0 / BATCH));
    }

    /** Taking a color, and ending its batch. */
    double turn() {
      return Math.max(0, event - register - run());
    }
  }

  static Steps steps(Configuration configuration) {
    try (Contestant<?> contestant = configuration.start(1, true)) {
      return steps(contestant);
    }
  }

  private static <C> Steps steps(Contestant<C> contestant) {
    Rounds<C> rounds = new Rounds<>(contestant);
    double[] register = new double[ROUNDS];
    double[] append = new double[ROUNDS];
    double[] event = new double[ROUNDS];
    double[] chained = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      rounds.play(rounds.many, false);
      register[i] = rounds.registerNanos;
      event[i] = rounds.eventNanos;
      rounds.play(rounds.one, false);
      append[i] = rounds.registerNanos;
      rounds.play(rounds.one, true);
      chained[i] = rounds.eventNanos;
    }
    return new Steps(fast(register), fast(append), fast(event), fast(chained));
  }

  /** Registers events from within a handler, and measures the time until all have run. */
  private static final class Rounds<C> {
    final List<C> many = new ArrayList<>();
    final List<C> one = new ArrayList<>();
    private final Contestant<C> contestant;
    private final C first;
    private final List<Mark> marks = new ArrayList<>();
    private final Handler<Job> kind;
    private final Semaphore over = new Semaphore(0);
    private long began;
    private int left;
    private volatile double registerNanos;
    private volatile double eventNanos;

    Rounds(Contestant<C> contestant) {
      this.contestant = contestant;
      this.kind = contestant.kind(Duration.ofNanos(20), 1);
      this.first = contestant.newPinnedColor(0);
      one.add(contestant.newColor(0));
      for (int i = 0; i < EVENTS; i++) {
        many.add(contestant.newColor(0));
        marks.add(new Mark());
      }
    }

    void play(List<C> colors, boolean chain) {
      contestant.register(first, new Begin(colors, chain));
      over.acquireUninterruptibly();
    }

    private final class Begin extends Job {
      private final List<C> colors;
      private final boolean chain;

      Begin(List<C> colors, boolean chain) {
        super(kind);
        this.colors = colors;
        this.chain = chain;
      }

      @Override
      public void run() {
        left = EVENTS;
        began = System.nanoTime();
        if (chain) {
          contestant.register(colors.get(0), new Link(colors.get(0)));
          return;
        }
        for (int i = 0; i < EVENTS; i++) {
          contestant.register(colors.get(i % colors.size()), marks.get(i));
        }
        registerNanos = (System.nanoTime() - began) / (double) EVENTS;
      }
    }

    private void ended() {
      if (--left == 0) {
        eventNanos = (System.nanoTime() - began) / (double) EVENTS;
        over.release();
      }
    }

    private final class Mark extends Job {
      Mark() {
        super(kind);
      }

      @Override
      public void run() {
        ended();
      }
    }

    private final class Link extends Job {
      private final C color;

      Link(C color) {
        super(kind);
        this.color = color;
      }

      @Override
      public void run() {
        if (left > 1) {
          contestant.register(color, this);
        }
        ended();
      }
    }
  }

  /** An uncontended lock and unlock: a compare-and-set, and a store. */
  static double lock() {
    double[] samples = new double[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
      long start = System.nanoTime();
      for (int i = 0; i < EVENTS; i++) {
        if (HELD.compareAndSet(0, 1)) {
          HELD.setRelease(0);
        }
      }
      samples[r] = (System.nanoTime() - start) / (double) EVENTS;
    }
    return fast(samples);
  }

  /**
   * Waking a worker, in nanoseconds.
   *
   * @param call cost for the caller
   * @param delays from the call until the handler starts
   */
  private record WakeUp(double call, List<Double> delays) {}

  private static WakeUp wakeUp() {
    try (Contestant<?> contestant = Configuration.MELY.start(1, true)) {
      return Validation.fromLastCpu(() -> Compiling.done(() -> wakeUp(contestant)));
    }
  }

  private static <C> WakeUp wakeUp(Contestant<C> contestant) {
    C color = contestant.newColor(0);
    Handler<Job> kind = contestant.kind(Duration.ofNanos(20), 1);
    SplittableRandom random = new SplittableRandom(1);
    double[] calls = new double[WAKE_UPS];
    double[] delays = new double[WAKE_UPS];
    for (int i = 0; i < WAKE_UPS; i++) {
      long due = System.nanoTime() + ASLEEP_NANOS + Arrivals.gap(random, ASLEEP_NANOS);
      while (System.nanoTime() < due) {
        Thread.onSpinWait();
      }
      Arrival arrival = new Arrival(kind);
      long start = System.nanoTime();
      contestant.register(color, arrival);
      calls[i] = System.nanoTime() - start;
      delays[i] = arrival.await() - start;
    }
    double call = Spread.of(calls).median();
    return new WakeUp(call, Arrays.stream(delays).mapToObj(d -> Math.max(0, d - call)).toList());
  }

  /** Records when it ran. */
  private static final class Arrival extends Job {
    private volatile long when;

    Arrival(Handler<Job> kind) {
      super(kind);
    }

    @Override
    public void run() {
      when = System.nanoTime();
    }

    long await() {
      while (when == 0) {
        Thread.onSpinWait();
      }
      return when;
    }
  }

  /** The transfer of a cache line: half of a round trip between two threads that write in turns. */
  static double line() {
    AtomicLong ball = new AtomicLong();
    double[] samples = new double[ROUNDS];
    Thread other =
        new Thread(
            () -> {
              for (long turn = 1; turn < 2L * ROUNDS * TURNS; turn += 2) {
                while (ball.getAcquire() != turn) {
                  Thread.onSpinWait();
                }
                ball.setRelease(turn + 1);
              }
            });
    other.setDaemon(true);
    other.start();
    long turn = 0;
    for (int r = 0; r < ROUNDS; r++) {
      long start = System.nanoTime();
      for (int i = 0; i < TURNS; i++) {
        while (ball.getAcquire() != turn) {
          Thread.onSpinWait();
        }
        ball.setRelease(turn + 1);
        turn += 2;
      }
      samples[r] = (System.nanoTime() - start) / (double) TURNS / 2;
    }
    return fast(samples);
  }

  /** Costs by distance: zero for the core itself, and equal for all others. */
  static List<Double> lines(double line) {
    List<Double> lines = new ArrayList<>(Collections.nCopies(DISTANCES, line));
    lines.set(0, 0.0);
    return lines;
  }

  /** The fastest quartile: disturbances only make a round slower. */
  private static double fast(double[] samples) {
    Arrays.sort(samples);
    return samples[samples.length / 4];
  }
}

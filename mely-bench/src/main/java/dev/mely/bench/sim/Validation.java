package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.Compiling;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import dev.mely.bench.Spread;
import dev.mely.bench.Work;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import dev.mely.bench.baseline.Worker;
import dev.mely.bench.micro.Micro;
import dev.mely.bench.micro.MicroRun;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/**
 * Runs the same programs on this machine, on threads, and under the simulator. Open loops have one
 * worker, since the sender needs a CPU, too. They are measured after the JVM has compiled their
 * code, see {@link Compiling}: the simulator has no compiler.
 */
final class Validation {
  private static final double LOAD = 0.5;

  /** In seconds: the program keeps all CPUs busy, so the compilers take long. */
  private static final int WARM_UP = 8;

  private static final long SEED = 1;
  private static final int SPEED_SAMPLES = 201;
  private static final int DIGITS = 3;

  /** Keeps the compiler from eliminating the work. */
  @SuppressWarnings("UnusedVariable") // write-only
  private static volatile long sink;

  private static final int MIN_REQUESTS = 100;

  /** How many times longer a sample of latencies is: tails need more requests than rates. */
  private static final int LONGER = 4;

  /** Names of a sample's figures: measured and simulated. */
  static final String REAL = "real";

  static final String SIMULATED = "simulated";
  private static final List<String> LATENCIES = List.of("meanMicros", "p50Micros", "p99Micros");
  private static final long SIMULATED_EVENTS = 500_000;
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final String ARRIVING = "exp-even";

  private final int cores;
  private final int samples;
  private final double seconds;
  private final int requests;
  private final List<String> configurations;

  /** Interruptions of the worker, by configuration. */
  private final Map<String, Standstills> standstills = new HashMap<>();

  /** By workload, figure and configuration. */
  private final Map<String, List<Map<String, Double>>> taken = new LinkedHashMap<>();

  /** A program to run on threads and under the simulator. */
  private record Pair(String workload, Micro micro, String load, Program program) {
    String row(String configuration) {
      return workload + ", K events/s: " + configuration;
    }
  }

  /**
   * @param cores number of workers
   * @param samples number of samples of each figure
   * @param seconds duration of a sample, without its warm-up
   */
  Validation(int cores, int samples, double seconds, List<String> configurations) {
    this.cores = cores;
    this.samples = samples;
    this.seconds = seconds;
    this.requests =
        (int)
            Math.max(
                MIN_REQUESTS, LONGER * seconds * NANOS_PER_SECOND * LOAD / OpenLoop.MEAN_NANOS);
    this.configurations = List.copyOf(configurations);
  }

  private static List<Pair> pairs() {
    Programs.Load load = new Programs.Load(LOAD, 0, SEED);
    return List.of(
        new Pair("unbalanced", Micro.UNBALANCED, "unbalanced", Programs.make("unbalanced", load)),
        new Pair(
            "steadyColors", Micro.STEADY_COLORS, "10k-colors", Programs.make("steadyColors", load)),
        new Pair(
            "chains",
            Micro.CHAINS,
            "25k-cycles",
            Programs.chains(new Chains.Plan(16, false, 1, 25_000, false), SEED)));
  }

  /** Measures on threads, then simulates. */
  Results run(Costs costs) throws Exception {
    Map<String, Callable<Map<String, Double>>> rates = new LinkedHashMap<>();
    for (String configuration : configurations) {
      for (Pair pair : pairs()) {
        rates.put(pair.row(configuration), () -> rate(pair, configuration));
      }
    }
    taken.putAll(new Retakes().inTurn("measuring", samples, rates));
    configurations.forEach(this::latencies);
    for (String configuration : configurations) {
      simulateRates(configuration, costs);
      simulateLatencies(configuration, costs);
    }
    Score score = new Score(REAL, "real", 1, 1, true);
    return new Results("validate", "", score, Map.of(), Map.of(), taken);
  }

  private Map<String, Double> rate(Pair pair, String configuration) throws Exception {
    MicroRun run =
        new MicroRun(pair.micro(), pair.load(), WARM_UP * seconds, seconds, cores, true, List.of());
    Map<String, Double> sample = run.sample(Configuration.parse(configuration));
    return real(Objects.requireNonNull(sample.get("rate")) / 1e3);
  }

  /** A sample with the measured figure; the simulated one is added later. */
  private static Map<String, Double> real(double value) {
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put(REAL, value);
    return sample;
  }

  private void add(String row, double value) {
    taken.computeIfAbsent(row, r -> new ArrayList<>()).add(real(value));
  }

  private static String row(String figure, String configuration) {
    return ARRIVING + " on 1 core, " + figure.replace("Micros", " µs") + ": " + configuration;
  }

  private void simulateRates(String configuration, Costs costs) {
    for (Pair pair : pairs()) {
      Machine machine = Machines.make(Machines.HERE, cores, costs);
      Run run = Runtimes.begin(configuration, machine, pair.program(), SEED);
      run.runUntil(SIMULATED_EVENTS);
      double rate = Objects.requireNonNull(Outcome.of(run).get("rate")) / 1e3;
      Objects.requireNonNull(taken.get(pair.row(configuration)))
          .forEach(sample -> sample.put(SIMULATED, rate));
    }
  }

  /** Simulates the same requests with different interruptions. */
  private void simulateLatencies(String configuration, Costs costs) {
    Costs then = Objects.requireNonNull(standstills.get(configuration)).in(costs);
    for (int i = 0; i < samples; i++) {
      Machine machine = Machines.make(Machines.HERE, 1, then).withChance(SEED + i);
      Run run = Runtimes.begin(configuration, machine, arriving(), SEED);
      run.runUntil(requests);
      Map<String, Double> outcome = Outcome.of(run);
      for (String figure : LATENCIES) {
        Objects.requireNonNull(taken.get(row(figure, configuration)))
            .get(i)
            .put(SIMULATED, Objects.requireNonNull(outcome.get(figure)));
      }
    }
  }

  private static OpenLoop.Plan arriving() {
    return new OpenLoop.Plan(OpenLoop.Service.EXPONENTIAL, OpenLoop.Spread.EVEN, LOAD, SEED);
  }

  // ---- On threads

  /** Measures latencies, with a new worker for each sample. */
  private void latencies(String configuration) {
    Standstills meanwhile = new Standstills();
    standstills.put(configuration, meanwhile);
    for (int i = 0; i < samples; i++) {
      try (Contestant<?> contestant = Configuration.parse(configuration).start(1, true)) {
        fromLastCpu(() -> new Sender<>(contestant).measure(configuration, meanwhile));
      }
    }
    add(row("interruptions/s", configuration), meanwhile.perSecond());
  }

  /** Runs an action on the last CPU; a single worker uses the first. */
  static <T> T fromLastCpu(Callable<T> action) {
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              AllowedCpus allowed = AllowedCpus.system();
              int[] cpus = allowed.cpus();
              Pinning.advised(allowed, 1).pin(cpus[cpus.length - 1]);
              return action.call();
            });
    new Thread(task, "last CPU").start();
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while something was measured", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Sends requests to one worker. */
  private final class Sender<C> {
    private final Contestant<C> contestant;
    private final Handler<Job> kind;
    private final List<C> colors = new ArrayList<>();

    // Of the current sample. Both are written by the worker, and read after all events have run.
    private Histogram latencies = new Histogram(DIGITS);
    private Standstills seen = new Standstills();

    private CountDownLatch over = new CountDownLatch(0);
    private double late;
    private double compiling;

    Sender(Contestant<C> contestant) {
      this.contestant = contestant;
      kind = contestant.kind(Duration.ofNanos((long) OpenLoop.MEAN_NANOS), 1);
      int count = arriving().requests(1).colors();
      for (int i = 0; i < count; i++) {
        colors.add(contestant.newColor(0));
      }
    }

    /** Takes a sample. */
    boolean measure(String configuration, Standstills meanwhile) throws Exception {
      Compiling.done(this::send);
      meanwhile.add(seen);
      Map<String, Double> figures = Outcome.latencies(latencies);
      for (String figure : LATENCIES) {
        add(row(figure, configuration), Objects.requireNonNull(figures.get(figure)));
      }
      add(row("sent late µs", configuration), late);
      add(row("compiling %", configuration), 100 * compiling);
      return true;
    }

    private boolean send() throws InterruptedException {
      double slowness = slowness();
      OpenLoop.Requests drawn = arriving().requests(1);
      latencies = new Histogram(DIGITS);
      seen = new Standstills();
      over = new CountDownLatch(requests);
      long lateNanos = 0;
      long compiled = Compiling.millis();
      long start = System.nanoTime() + NANOS_PER_SECOND / 100;
      for (long i = 0; i < requests; i++) {
        drawn.draw();
        long due = start + drawn.arrival() / Machine.NANO;
        double nanos = drawn.service() / (double) Machine.NANO;
        int iterations = Work.iterations(Math.round(nanos / slowness));
        Job job =
            new Job(kind) {
              @Override
              public void run() {
                Worker worker = contestant.worker();
                worker.result = seen.work(iterations, nanos, worker.result);
                latencies.recordValue(Math.max(0, System.nanoTime() - due));
                over.countDown();
              }
            };
        C color = colors.get(drawn.color());
        while (System.nanoTime() < due) {
          Thread.onSpinWait();
        }
        lateNanos += System.nanoTime() - due;
        contestant.register(color, job);
      }
      over.await();
      late = lateNanos / 1e3 / requests;
      compiling = (Compiling.millis() - compiled) * 1e6 / (System.nanoTime() - start);
      return true;
    }
  }

  /** Ratio of the current duration of work to its calibrated one. */
  private static double slowness() {
    int iterations = Work.iterations((long) OpenLoop.MEAN_NANOS);
    double[] times = new double[SPEED_SAMPLES];
    long result = 1;
    for (int i = 0; i < times.length; i++) {
      long start = System.nanoTime();
      result = Work.spin(iterations, result);
      times[i] = System.nanoTime() - start;
    }
    sink = result;
    return Spread.of(times).median() / OpenLoop.MEAN_NANOS;
  }
}

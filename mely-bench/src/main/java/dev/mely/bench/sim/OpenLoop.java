package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.Arrivals;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * An open loop: requests arrive in a Poisson process. Each is an event with random work and a
 * random color; its latency counts from its arrival.
 */
final class OpenLoop implements Run, Simulation.Source {
  /** Mean work of a request: 50 microseconds. */
  static final double MEAN_NANOS = 50_000;

  /** Colors per core. */
  private static final int COLORS = 200;

  private static final int DIGITS = 3;

  private final Simulation simulation;
  private final Requests requests;
  private final Handler<Job> kind;
  private final List<Object> colors = new ArrayList<>();
  private final List<Request> free = new ArrayList<>();
  private final Histogram latencies = new Histogram(DIGITS);

  private OpenLoop(Machine machine, Function<Simulation, SimRuntime> runtime, Requests requests) {
    this.requests = requests;
    this.simulation = new Simulation(machine, runtime, s -> this);
    this.kind = simulation.runtime().kind(Duration.ofNanos((long) MEAN_NANOS), 1);
    for (int i = 0; i < requests.colors(); i++) {
      colors.add(simulation.runtime().newColor(requests.home(i)));
    }
  }

  // ---- Random values

  /** Distribution of the requests' work. */
  enum Service {
    /** Exponential, as in M/M/n. */
    EXPONENTIAL("exp"),
    /** Pareto with exponent 2.2, from 0.55 times the mean; at most a thousand times the mean. */
    HEAVY("heavy");

    private final String label;

    Service(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }

    /** Draws a time, in nanoseconds. */
    double draw(SplittableRandom random) {
      double u = 1 - random.nextDouble();
      return switch (this) {
        case EXPONENTIAL -> -Math.log(u) * MEAN_NANOS;
        case HEAVY -> Math.min(1_000, Math.pow(u, -1 / 2.2) * 1.2 / 2.2) * MEAN_NANOS;
      };
    }
  }

  /** Initial cores of the colors. */
  enum Spread {
    /** Spread over the cores. */
    EVEN,

    /** All of them on core 0. */
    ONE_CORE;

    String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** A load for any machine. */
  record Plan(Service service, Spread spread, double load, long seed) implements Program {
    Plan {
      if (!(load > 0 && load < 1)) {
        throw new IllegalArgumentException("load must be between 0 and 1, but is " + load);
      }
    }

    @Override
    public Run begin(Machine machine, Function<Simulation, SimRuntime> runtime) {
      return new OpenLoop(machine, runtime, requests(machine.cores()));
    }

    /** The requests, which are the same for every runtime and for the bounds. */
    Requests requests(int cores) {
      return new Requests(this, cores);
    }
  }

  /** An iterator over the requests. */
  static final class Requests {
    private final Plan plan;
    private final int cores;
    private final SplittableRandom gaps;
    private final SplittableRandom services;
    private final SplittableRandom choices;
    private final double gapPicos;

    private long arrival;
    private long service;
    private int color;

    Requests(Plan plan, int cores) {
      this.plan = plan;
      this.cores = cores;
      SplittableRandom random = new SplittableRandom(plan.seed());
      gaps = random.split();
      services = random.split();
      choices = random.split();
      gapPicos = MEAN_NANOS * Machine.NANO / (plan.load() * cores);
    }

    /** Draws the next request. */
    void draw() {
      arrival += Arrivals.gap(gaps, gapPicos);
      service = Math.max(1, Machine.picos(plan.service().draw(services)));
      color = (int) (choices.nextDouble() * colors());
    }

    int colors() {
      return COLORS * cores;
    }

    /** Initial core of a color. */
    int home(int ofColor) {
      return plan.spread() == Spread.ONE_CORE ? 0 : ofColor % cores;
    }

    /** Arrival time, in picoseconds. */
    long arrival() {
      return arrival;
    }

    /** Work, in picoseconds. */
    long service() {
      return service;
    }

    int color() {
      return color;
    }
  }

  // ---- Arrivals

  @Override
  public long next() {
    requests.draw();
    return requests.arrival();
  }

  @Override
  public void arrive() {
    Request request = free.isEmpty() ? new Request() : free.remove(free.size() - 1);
    request.arrival = requests.arrival();
    request.service = requests.service();
    simulation.register(colors.get(requests.color()), request);
  }

  /** A reusable event. */
  private final class Request extends Task {
    private long arrival;
    private long service;

    Request() {
      super(simulation, kind);
    }

    @Override
    void work(Machine machine) {
      machine.clock().spend(service);
    }

    @Override
    boolean goOn() {
      latencies.recordValue((simulation.machine().clock().now() - arrival) / Machine.NANO);
      free.add(this);
      return false;
    }
  }

  // ---- The run

  @Override
  public Simulation simulation() {
    return simulation;
  }

  @Override
  public Histogram latencies() {
    return latencies;
  }
}

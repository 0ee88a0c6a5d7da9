package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * A server with closed-loop clients: each sends a request, waits for the answer, and sends again.
 * Input waits in its socket until the polling handler, which has a color of its own, finds it and
 * registers the first handler of the request.
 */
abstract class ClosedLoop implements Run, Simulation.Source {
  /** Time from an answer to the arrival of the next request: the network twice, and the client. */
  private static final double AWAY_NANOS = 100_000;

  private static final int DIGITS = 3;

  final Simulation simulation;
  private final SplittableRandom random;
  private final Object pollColor;
  private final Poll poll;

  /** Messages in the network; FIFO for equal times. */
  private final PriorityQueue<Arrival<Step>> underway =
      new PriorityQueue<>(
          (a, b) ->
              a.time() == b.time()
                  ? Long.compare(a.number(), b.number())
                  : Long.compare(a.time(), b.time()));

  private final ArrayDeque<Step> sockets = new ArrayDeque<>();
  private final Histogram latencies = new Histogram(DIGITS);
  private boolean polling;
  private long sent;
  private long answers;

  private record Arrival<S>(long time, long number, S first) {}

  /**
   * @param pollCycles cost of a poll
   * @param foundCycles additional cost per ready socket
   */
  ClosedLoop(
      Machine machine,
      Function<Simulation, SimRuntime> runtime,
      long seed,
      double pollCycles,
      double foundCycles) {
    this.simulation = new Simulation(machine, runtime, s -> this);
    this.random = new SplittableRandom(seed);
    this.pollColor = simulation.runtime().newColor(0);
    this.poll = new Poll(pollCycles, foundCycles);
  }

  /** The color of the polling handler, for handlers that share it. */
  final Object pollColor() {
    return pollColor;
  }

  /** Makes a kind of handlers with a declared cost. */
  final Handler<Job> kind(double cycles) {
    return simulation.runtime().kind(Rounds.cost(cycles), 1);
  }

  // ---- The network

  /** A client sends a message. */
  final void send(Step first) {
    double away = AWAY_NANOS * (1 - 0.5 * Math.log(1 - random.nextDouble())) / 1.5;
    long then = simulation.machine().clock().now() + Machine.picos(away);
    underway.add(new Arrival<>(then, sent++, first));
    simulation.sourceChanged();
  }

  @Override
  public final long next() {
    Arrival<Step> first = underway.peek();
    return first == null ? Clock.NEVER : first.time();
  }

  @Override
  public final void arrive() {
    Arrival<Step> arrival = underway.remove();
    arrival.first().sentAt = arrival.time();
    isReady(arrival.first());
  }

  /** A socket becomes ready. */
  final void isReady(Step first) {
    sockets.add(first);
    if (!polling) {
      polling = true;
      simulation.register(pollColor, poll);
    }
  }

  /** A request with that arrival time has been answered. */
  final void answered(long arrival) {
    answers++;
    latencies.recordValue((simulation.machine().clock().now() - arrival) / Machine.NANO);
  }

  /** Finds ready sockets, and registers an event for each. */
  private final class Poll extends Task {
    private final double cycles;
    private final double foundCycles;
    private int found;

    Poll(double cycles, double foundCycles) {
      super(simulation, ClosedLoop.this.kind(cycles));
      this.cycles = cycles;
      this.foundCycles = foundCycles;
    }

    @Override
    void work(Machine machine) {
      found = sockets.size();
      machine.spend(Rounds.nanos(cycles + found * foundCycles));
    }

    @Override
    boolean goOn() {
      if (found > 0) {
        found--;
        sockets.remove().register();
        return true;
      }
      polling = !sockets.isEmpty();
      if (polling) {
        simulation.register(pollColor, this);
      }
      return false;
    }
  }

  // ---- Handlers

  /** An event of a client: works, accesses the client's data, and then runs an action. */
  final class Step extends Task {
    private final Object color;
    private final double cycles;
    private final Block data;
    private final Runnable then;

    /** When the client's request arrived. */
    private long sentAt;

    /**
     * @param kind from {@link ClosedLoop#kind}
     * @param cycles work, without access to data
     * @param then action at the end, which usually registers the next event
     */
    Step(Handler<Job> kind, Object color, double cycles, Block data, Runnable then) {
      super(simulation, kind);
      this.color = color;
      this.cycles = cycles;
      this.data = data;
      this.then = then;
    }

    void register() {
      simulation.register(color, this);
    }

    long sentAt() {
      return sentAt;
    }

    @Override
    void work(Machine machine) {
      machine.spend(Rounds.nanos(cycles));
      machine.touch(data);
    }

    @Override
    boolean goOn() {
      then.run();
      return false;
    }
  }

  // ---- The run

  @Override
  public final Simulation simulation() {
    return simulation;
  }

  @Override
  public final Histogram latencies() {
    return latencies;
  }

  @Override
  public final long answers() {
    return answers;
  }
}

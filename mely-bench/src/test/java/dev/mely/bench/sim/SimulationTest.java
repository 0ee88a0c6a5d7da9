package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Handler;
import dev.mely.bench.Json;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What must hold of any runtime, holds under the simulator's clock too. */
class SimulationTest {
  static List<String> configurations() {
    return Runtimes.names();
  }

  private static Machine paper() {
    return Machines.make(Machines.PAPER, 8, Machines.costs(Machines.PAPER));
  }

  /** Each event runs once, those of a color in order, no two of a color at the same time. */
  @ParameterizedTest
  @MethodSource("configurations")
  void orderExclusionAndConservation(String configuration) {
    for (long seed = 1; seed <= 2; seed++) {
      Ledger ledger = new Ledger(seed);
      Run run = Runtimes.begin(configuration, paper(), ledger, seed);
      run.runUntil(Ledger.EVENTS);
      ledger.check(run.simulation());
    }
  }

  /** Events that register others, over and over, and a record of what ran when. */
  private static final class Ledger implements Program {
    static final int EVENTS = 5_000;
    private static final int COLORS = 50;

    private final SplittableRandom random;
    private final int[] registered = new int[COLORS];
    private final int[] ran = new int[COLORS];
    private final long[] until = new long[COLORS];
    private final long[] coreUntil = new long[8];
    private long worked;
    private int made;
    private int over;

    Ledger(long seed) {
      random = new SplittableRandom(seed);
    }

    @Override
    public Run begin(Machine machine, Function<Simulation, SimRuntime> maker) {
      Simulation simulation = new Simulation(machine, maker, s -> Simulation.NONE);
      Handler<Job> kind = simulation.runtime().kind(Duration.ofNanos(2_000), 1);
      List<Object> colors = new ArrayList<>();
      for (int i = 0; i < COLORS; i++) {
        colors.add(simulation.runtime().newColor(i % 3));
      }
      for (int i = 0; i < COLORS; i++) {
        register(simulation, kind, colors, i);
      }
      return new Run() {
        @Override
        public void runUntil(long events) {
          simulation.runUntil(events);
          // What has begun shall end; then there is nothing left to run.
          assertThrows(IllegalStateException.class, () -> simulation.runUntil(events + 1));
        }

        @Override
        public Simulation simulation() {
          return simulation;
        }
      };
    }

    private void register(
        Simulation simulation, Handler<Job> kind, List<Object> colors, int color) {
      if (made == EVENTS) {
        return;
      }
      made++;
      int number = registered[color]++;
      simulation.register(
          colors.get(color),
          new Task(simulation, kind) {
            @Override
            void work(Machine machine) {
              assertEquals(number, ran[color]++, "order of color " + color);
              assertTrue(machine.clock().now() >= until[color], "overlap of color " + color);
              long start = machine.clock().now();
              int core = machine.current();
              assertTrue(start >= coreUntil[core], "overlap on core " + core);
              machine.spend(random.nextInt(4_000));
              worked += machine.clock().now() - start;
              until[color] = machine.clock().now();
              coreUntil[core] = machine.clock().now();
            }

            @Override
            boolean goOn() {
              over++;
              // Two now and then, none now and then: as many as can run, on average.
              for (int i = random.nextInt(3); i >= 0; i--) {
                register(simulation, kind, colors, random.nextInt(COLORS));
              }
              return false;
            }
          });
    }

    void check(Simulation simulation) {
      assertEquals(EVENTS, made);
      assertEquals(EVENTS, over, "events that have ended");
      assertEquals(EVENTS, simulation.events());
      assertEquals(worked, simulation.busyPicos(), "time in handlers");
    }
  }

  /** A handler's work takes its time: what it registers is not seen before. */
  @Test
  void whatAHandlerRegistersIsThereWhenItsWorkIsOver() {
    List<Long> times = new ArrayList<>();
    Program program =
        new Program() {
          @Override
          public Run begin(Machine machine, Function<Simulation, SimRuntime> maker) {
            Simulation simulation = new Simulation(machine, maker, s -> Simulation.NONE);
            Handler<Job> kind = simulation.runtime().kind(Duration.ofNanos(500_000), 1);
            Object there = simulation.runtime().newColor(1);
            Task child =
                new Task(simulation, kind) {
                  @Override
                  void work(Machine on) {
                    times.add(on.nanos());
                    assertEquals(1, on.current());
                  }
                };
            Task parent =
                new Task(simulation, kind) {
                  @Override
                  void work(Machine on) {
                    on.spend(500_000);
                    times.add(on.nanos());
                  }

                  @Override
                  boolean goOn() {
                    simulation.register(there, child);
                    return false;
                  }
                };
            simulation.register(simulation.runtime().newColor(0), parent);
            simulation.runUntil(2);
            return () -> simulation;
          }
        };
    Machine machine = Machines.make("one-cache", 2, Costs.free());
    Runtimes.begin("mely", machine, program, 1);
    assertEquals(2, times.size());
    assertTrue(times.get(1) >= times.get(0), times::toString);
  }

  /** The same seed shows the same, to the last bit; another one does not. */
  @ParameterizedTest
  @MethodSource("configurations")
  void theSeedDecidesEverything(String configuration) {
    Map<String, Double> first = outcome(configuration, 1);
    assertEquals(first, outcome(configuration, 1));
    assertTrue(!first.equals(outcome(configuration, 2)), first::toString);
  }

  private static Map<String, Double> outcome(String configuration, long seed) {
    Program program = Programs.make("heavy-one-core", new Programs.Load(0.6, 0, seed));
    Run run = Runtimes.begin(configuration, paper(), program, seed);
    run.runUntil(1_000);
    return Outcome.of(run);
  }

  /** Work is conserved: however it is shared out, handlers take as long as they are asked to. */
  @Test
  void stealingMovesWorkAndMakesNone() {
    double[] busy = new double[2];
    String[] both = {"mely", "mely-all"};
    for (int i = 0; i < 2; i++) {
      Program program = Programs.make("unbalanced", new Programs.Load(0, 0, 1));
      Run run = Runtimes.begin(both[i], paper(), program, 1);
      run.runUntil(100_000);
      busy[i] = (double) run.simulation().busyPicos() / run.simulation().events();
    }
    assertEquals(busy[0], busy[1], 0.01 * busy[0]);
  }

  @Test
  void allMachinesCanBeMade() {
    for (String name : Machines.names()) {
      Machine machine = Machines.make(name, 2, Costs.free());
      assertEquals(2, machine.cores(), name);
    }
    assertEquals(128, Machines.make("many-caches", 128, Costs.free()).cores());
    Machine many = Machines.make("many-caches", 16, Costs.free());
    assertEquals(0, many.cache(7));
    assertEquals(1, many.cache(8));
    assertTrue(many.distance(0, 7) < many.distance(0, 8));
    Machine paper = Machines.make(Machines.PAPER, 8, Costs.free());
    assertEquals(paper.cache(0), paper.cache(4), "a pair of the paper's machine");
    assertThrows(
        IllegalArgumentException.class, () -> Machines.make(Machines.PAPER, 9, Costs.free()));
  }

  @Test
  void costsSurviveTheirFile() {
    Costs costs = Machines.costs(Machines.PAPER);
    assertEquals(costs, Costs.fromJson(Json.write(costs.toMap())));
    for (String wrong : new String[] {"[]", "{}", "{\"lock\": -1}", "no JSON"}) {
      assertThrows(IllegalArgumentException.class, () -> Costs.fromJson(wrong), wrong);
    }
    assertThrows(IllegalArgumentException.class, () -> costs.with(Map.of("lok", 1.0)));
  }
}

package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Handler;
import dev.mely.bench.Json;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No cost is forgotten, and where one can count how often it is due, it is charged as often. */
class ChargesTest {
  private static final double DEAR = 40_000;
  private static final double LINE = 100;

  /** Nothing costs anything but lines from other cores, and one figure more. */
  private static Costs only(String name, double value) {
    Map<String, Object> costs = Costs.free().toMap();
    costs.put("lines", new ArrayList<>(Collections.nCopies(6, LINE)));
    costs.put("innerBytes", 32_768.0);
    costs.put("sharedBytes", 6_291_456.0);
    costs.put(name, value);
    return Costs.fromJson(Json.write(costs));
  }

  private static Run run(Program program, String configuration, int cores, Costs costs) {
    Run run =
        Runtimes.begin(configuration, Machines.make(Machines.PAPER, cores, costs), program, 1);
    run.runUntil(2_000);
    return run;
  }

  private static long picos(String workload, String configuration, Costs costs) {
    Program program = Programs.make(workload, new Programs.Load(0, 16, 1));
    return run(program, configuration, 8, costs).simulation().machine().clock().now();
  }

  /** A server whose cores park and wake up, and sorts that are stolen: what is dear takes time. */
  @ParameterizedTest
  @CsvSource({
    "sws, mely-all, register append pick run finish look park wake poll wakeCall wakeDelay",
    "sws, libasync, lock guarded listRegister listRun eventLines",
    "sws, mely-spinlock, lock guarded listRegister listRun colorQueue",
    "cacheEfficient, mely-base-ws, look claim eventLines inner shared memory",
    "cacheEfficient, mely-all, look claim",
    "cacheEfficient, libasync-ws, flatSteal scan look",
    "cacheEfficient, mely-spinlock-base-ws, listSteal",
  })
  void whatIsDearTakesLonger(String workload, String configuration, String names) {
    long free = picos(workload, configuration, only("register", 0));
    for (String name : names.split(" ")) {
      long dear = picos(workload, configuration, only(name, DEAR));
      assertTrue(dear > 1.02 * free, name + ": " + dear + " against " + free);
    }
  }

  /** So do lines. */
  @ParameterizedTest
  @CsvSource({"mely", "libasync", "mely-spinlock"})
  void linesTakeTheirTime(String configuration) {
    Map<String, Object> costs = Costs.free().toMap();
    costs.put("guarded", 1.0);
    costs.put("eventLines", 1.0);
    costs.put("lines", new ArrayList<>(Arrays.asList(0.0, 1e4, 1e4, 1e4, 1e4, 1e4)));
    long dear = picos("sws", configuration, Costs.fromJson(Json.write(costs)));
    assertTrue(dear > 1.1 * picos("sws", configuration, Costs.free()));
  }

  /** On one core, costs can be summed up: events in turn, of a number of colors. */
  @ParameterizedTest
  @CsvSource({
    "mely, run, 1, 1",
    "mely, append, 1, 1",
    "mely, pick, 1, 0.00625",
    "mely, finish, 1, 0.1",
    "mely, register, 2, 1",
    "mely, pick, 2, 1",
    "mely, finish, 2, 1",
    "mely-all, weighEvent, 1, 1",
    "mely-all, weighTurn, 1, 0.1",
    "mely-all, weighTurn, 2, 1",
    "mely, weighEvent, 2, 0",
    "mely, weighTurn, 2, 0",
    "mely, eventLines, 1, 0",
    "libasync, eventLines, 1, 0",
    "libasync, listRun, 1, 1",
    "libasync, listRegister, 1, 1",
    "libasync, lock, 1, 2",
    "mely-spinlock, lock, 1, 2",
    "mely-spinlock, colorQueue, 1, 1"
  })
  void asOftenAsItIsDue(String configuration, String name, int colors, double timesAnEvent) {
    Run run = run(new Turns(colors), configuration, 1, only(name, 1_000));
    double micros = run.simulation().machine().nanos() / 1_000.0;
    assertEquals(2_000 * timesAnEvent, micros, 2_000 * timesAnEvent * 0.01 + 2, name);
    assertEquals(2_000, run.simulation().events());
    assertEquals(0, run.simulation().busyPicos(), "of work there is none");
  }

  /** Each try looks at the only other core: so long takes each of them, at the least. */
  @Test
  void noTryIsFree() {
    Map<String, Object> costs = only("look", 200).toMap();
    costs.put("run", 1_000.0);
    Run run =
        Runtimes.begin(
            "mely-all",
            Machines.make(Machines.PAPER, 2, Costs.fromJson(Json.write(costs))),
            new Turns(1),
            1);
    run.runUntil(60);
    long tries = run.simulation().runtime().stealsTried();
    long nanos = run.simulation().machine().nanos();
    assertTrue(tries > 10, tries + " tries in " + nanos + " ns");
    assertTrue(tries * 200 <= nanos + 1_000, tries + " tries in " + nanos + " ns");
  }

  /**
   * Cores that always have work look beside them each 100 µs: that costs what another look does.
   */
  @Test
  void noLookBesideIsFree() {
    Program even = Programs.chains(new Chains.Plan(8, true, 0, 2_330_000, false), 1); // 1 ms each
    long free = run(even, "mely-all", 2, Costs.free()).simulation().machine().clock().now();
    Run dear = run(even, "mely-all", 2, only("look", 10 * DEAR));
    long picos = dear.simulation().machine().clock().now();
    assertTrue(picos > 1.25 * free, picos + " against " + free);
  }

  /** A thief that goes round takes a line from each of the seven others, to see what is worthy. */
  @Test
  void aLookTakesALine() {
    double line = 1_000;
    Map<String, Object> costs = Costs.free().toMap();
    costs.put("lines", new ArrayList<>(Collections.nCopies(6, line)));
    Program program = Programs.make("unbalanced", new Programs.Load(0, 16, 1));
    Run run = run(program, "mely-all", 8, Costs.fromJson(Json.write(costs)));
    double nanos = Objects.requireNonNull(Outcome.of(run).get("nanosPerSteal"));
    assertTrue(nanos > 7 * line, "a steal takes " + nanos);
  }

  /** One event, under one color after the other. */
  private record Turns(int count) implements Program {
    @Override
    public Run begin(Machine machine, Function<Simulation, SimRuntime> maker) {
      Simulation simulation = new Simulation(machine, maker, s -> Simulation.NONE);
      Handler<Job> kind = simulation.runtime().kind(Duration.ofNanos(100), 1);
      List<Object> colors = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        colors.add(simulation.runtime().newColor(0));
      }
      simulation.register(
          colors.get(0),
          new Task(simulation, kind) {
            private int at;

            @Override
            void work(Machine on) {
              at++;
            }

            @Override
            boolean goOn() {
              simulation.register(colors.get(at % colors.size()), this);
              return false;
            }
          });
      return () -> simulation;
    }
  }
}

package dev.mely.bench.sim;

import dev.mely.Color;
import dev.mely.StealPolicy;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Libasync;
import dev.mely.bench.baseline.SpinlockMely;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** What can be simulated, by name: as {@link dev.mely.bench.baseline.Configuration} calls it. */
final class Runtimes {
  /**
   * Elements of the map from colors to cores, for each core: as many as Mely's paper has in all
   * (section IV-A). All 50,000 colors of {@code unbalanced} begin on one core, and each moves
   * alone.
   */
  private static final int SLOTS = 65_536;

  private static final Map<String, Maker> MAKERS = makers();

  private Runtimes() {}

  /** Makes a runtime, and runs a program on it. */
  private interface Maker {
    Run begin(Machine machine, Program program, long seed);
  }

  private static Map<String, Maker> makers() {
    Map<String, Maker> makers = new LinkedHashMap<>();
    makers.put("libasync", libasync(false, false));
    makers.put("libasync-ws", libasync(true, false));
    makers.put("libasync-ws-full", libasync(true, true));
    makers.put("mely-spinlock", spinlock("off"));
    makers.put("mely-spinlock-base-ws", spinlock("base"));
    makers.put("mely-spinlock-locality", spinlock("locality"));
    makers.put("mely-spinlock-time-left", spinlock("time-left"));
    makers.put("mely-spinlock-penalty", spinlock("penalty"));
    makers.put("mely-spinlock-all", spinlock("all"));
    makers.put("mely", mely("off", true));
    makers.put("mely-base-ws", mely("base", true));
    makers.put("mely-locality", mely("locality", true));
    makers.put("mely-time-left", mely("time-left", true));
    makers.put("mely-penalty", mely("penalty", true));
    makers.put("mely-all", mely("all", true));
    makers.put("mely-auto", mely("all", false));
    return makers;
  }

  private static Maker libasync(boolean stealing, boolean fullScan) {
    return (machine, program, seed) -> {
      Libasync made =
          new Libasync(stealing, fullScan, SLOTS * machine.cores(), machine.cores(), machine);
      machine.stealsCost(machine.costs.flatSteal());
      return begin(machine, program, made, made::step, machine.costs.listRun());
    };
  }

  private static Maker spinlock(String policy) {
    return (machine, program, seed) -> {
      SpinlockMely made = new SpinlockMely(StealPolicy.parse(policy), machine.cores(), machine);
      machine.stealsCost(machine.costs.listSteal());
      double run = machine.costs.listRun() + machine.costs.colorQueue();
      return begin(machine, program, made, made::step, run);
    };
  }

  private static <C> Run begin(
      Machine machine, Program program, Contestant<C> made, IntPredicate stepper, double runNanos) {
    return program.begin(
        machine,
        (Simulation<C> simulation) -> new SimBaseline<>(simulation, made, stepper, runNanos));
  }

  private static Maker mely(String policy, boolean declared) {
    return (machine, program, seed) ->
        program.begin(
            machine,
            (Simulation<Color> simulation) ->
                new SimMely(simulation, StealPolicy.parse(policy), declared, seed, false));
  }

  /** All names. */
  static List<String> names() {
    return List.copyOf(MAKERS.keySet());
  }

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if there is no such configuration
   */
  static void check(String configuration) {
    maker(configuration);
  }

  /**
   * Begins a run.
   *
   * @throws IllegalArgumentException if there is no such configuration
   */
  static Run begin(String configuration, Machine machine, Program program, long seed) {
    return maker(configuration).begin(machine, program, seed);
  }

  private static Maker maker(String configuration) {
    Maker maker = MAKERS.get(configuration);
    if (maker == null) {
      throw new IllegalArgumentException(
          "unknown configuration '" + configuration + "'; known: " + String.join(", ", names()));
    }
    return maker;
  }
}

package dev.mely.bench.sim;

import dev.mely.StealPolicy;
import dev.mely.bench.Labels;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Configuration.Family;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Libasync;
import dev.mely.bench.baseline.SpinlockMely;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/** The simulated runtimes, with the names of {@link dev.mely.bench.baseline.Configuration}. */
final class Runtimes {
  /**
   * Elements per core of the map from colors to cores: as many as Mely's paper has in total
   * (section IV-A). All 50,000 colors of {@code unbalanced} start on one core, and each moves by
   * itself.
   */
  private static final int SLOTS = 65_536;

  private Runtimes() {}

  /** The names of the baselines and of this runtime. */
  static List<String> names() {
    return Stream.of(Configuration.values())
        .filter(c -> c.family() == Family.BASELINE || c.family() == Family.MELY)
        .map(Configuration::label)
        .toList();
  }

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if there is no such configuration
   */
  static void check(String configuration) {
    Labels.parse("configuration", configuration, names(), name -> name);
  }

  /**
   * Prepares a run.
   *
   * @throws IllegalArgumentException if there is no such configuration
   */
  static Run begin(String configuration, Machine machine, Program program, long seed) {
    check(configuration);
    Costs costs = machine.costs;
    if (configuration.startsWith("libasync")) {
      Libasync made =
          new Libasync(
              configuration.endsWith("-ws"), SLOTS * machine.cores(), machine.cores(), machine);
      machine.stealsCost(costs.flatSteal());
      return begin(machine, program, made, made::step, costs.listRun());
    }
    StealPolicy policy = policy(configuration.replaceFirst("^mely(-spinlock)?", ""));
    if (configuration.startsWith("mely-spinlock")) {
      SpinlockMely made = new SpinlockMely(policy, machine.cores(), machine);
      machine.stealsCost(costs.listSteal());
      return begin(machine, program, made, made::step, costs.listRun() + costs.colorQueue());
    }
    boolean declared = !configuration.endsWith("-auto");
    return program.begin(machine, s -> new SimMely(s, policy, declared, seed));
  }

  private static StealPolicy policy(String suffix) {
    return switch (suffix) {
      case "" -> StealPolicy.OFF;
      case "-base-ws" -> StealPolicy.BASE;
      case "-auto" -> StealPolicy.ALL;
      default -> StealPolicy.parse(suffix.substring(1));
    };
  }

  private static <C> Run begin(
      Machine machine, Program program, Contestant<C> made, IntPredicate stepper, double runNanos) {
    return program.begin(machine, s -> new SimBaseline<>(s, made, stepper, runNanos));
  }
}

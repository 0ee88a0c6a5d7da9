package dev.mely.netty;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.util.ExceptionResult;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;

/**
 * What Lincheck explores: which threads call which operations of a scenario class, in which order.
 * The scenario's own {@code @Validate} method judges, and the rule that nobody may wait for ever
 * and nothing may be thrown.
 *
 * <p>Lincheck draws the same interleavings in each run. It is sequentially consistent: it cannot
 * see what a weaker order of two accesses would allow.
 *
 * <p>{@code -Dmely.lincheck.iterations=20000} looks at more of each scenario.
 */
final class Exploration {
  /** Interleavings of one scenario. */
  private static final int ITERATIONS = Integer.getInteger("mely.lincheck.iterations", 200);

  /** Lincheck's own, for one interleaving, is too short for a machine that does other work too. */
  private static final long TIMEOUT_MILLIS = 120_000;

  static {
    // It warns of records and lambdas, in whose fields it cannot look.
    System.setProperty("lincheck.logLevel", "error");
  }

  private final Class<?> type;
  private final List<String[]> scenarios = new ArrayList<>();

  Exploration(Class<?> type) {
    this.type = type;
  }

  /**
   * Adds a scenario.
   *
   * @param threads what each thread calls, such as {@code "report, mask"}
   */
  Exploration of(String... threads) {
    scenarios.add(threads);
    return this;
  }

  /** Every interleaving up to some number, one step at a time. */
  void check() {
    ModelCheckingOptions options = new ModelCheckingOptions();
    options.invocationTimeout$lincheck(TIMEOUT_MILLIS);
    options
        .iterations(0)
        .invocationsPerIteration(ITERATIONS)
        .minimizeFailedScenario(false)
        .verifier(NothingThrown.class);
    for (String[] threads : scenarios) {
      List<List<Actor>> parallel = Arrays.stream(threads).map(this::actors).toList();
      options.addCustomScenario(new ExecutionScenario(List.of(), parallel, List.of(), null));
    }
    options.check(type);
  }

  private List<Actor> actors(String calls) {
    return Arrays.stream(calls.split(", ")).map(this::actor).toList();
  }

  private Actor actor(String call) {
    for (Method method : type.getMethods()) {
      if (method.getName().equals(call)) {
        return new Actor(method, List.of());
      }
    }
    throw new IllegalArgumentException("no operation " + call + " in " + type);
  }

  /** Judges by exceptions alone; the rest is up to the scenario. */
  public static final class NothingThrown implements Verifier {
    /** Lincheck wants a constructor with the scenario class. */
    public NothingThrown(Class<?> type) {}

    @Override
    public boolean verifyResults(ExecutionScenario scenario, ExecutionResult result) {
      return result.getThreadsResultsWithClock().stream()
          .flatMap(List::stream)
          .noneMatch(r -> r.getResult() instanceof ExceptionResult);
    }
  }
}

package dev.mely.kit;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.util.ExceptionResult;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;

/**
 * What Lincheck explores: the operations of a scenario class, which threads call them in which
 * order, and by what the results are judged. Without a {@linkplain #against specification} only the
 * scenario's own {@code @Validate} method judges, and the rule that nobody may wait for ever.
 *
 * <p>Lincheck draws the same interleavings in each run. It is sequentially consistent: it cannot
 * see what a weaker order of two accesses would allow.
 *
 * <p>{@code -Dmely.lincheck.iterations=20000} looks at more of each scenario.
 */
public final class Exploration {
  /** Interleavings of one scenario. */
  private static final int ITERATIONS = Integer.getInteger("mely.lincheck.iterations", 200);

  private static final int DRAWN = 4;

  /** Lincheck's own, for one interleaving, is too short for a machine that does other work too. */
  private static final long TIMEOUT_MILLIS = 120_000;

  static {
    // It warns of records and lambdas, in whose fields it cannot look.
    System.setProperty("lincheck.logLevel", "error");
  }

  private final Class<?> type;
  private final List<String[]> scenarios = new ArrayList<>();
  private String before = "";
  private String afterwards = "";
  private Class<?> specification;
  private int drawn;
  private int factor = 1;
  private int divisor = 1;

  public Exploration(Class<?> type) {
    this.type = type;
  }

  /**
   * Adds a scenario.
   *
   * @param threads what each thread calls, such as {@code "post 0 1, post 0 2"}
   */
  public Exploration of(String... threads) {
    scenarios.add(threads);
    return this;
  }

  /** What has happened before any scenario begins. */
  public Exploration after(String calls) {
    before = calls;
    return this;
  }

  /** What happens when the threads of any scenario are done. It must not wait. */
  public Exploration then(String calls) {
    afterwards = calls;
    return this;
  }

  /** Looks at so many times as many interleavings. */
  public Exploration times(int newFactor) {
    factor = newFactor;
    return this;
  }

  /**
   * Looks at one of so many interleavings: a scenario that takes long, with few ways to go wrong.
   */
  public Exploration oneOf(int newDivisor) {
    divisor = newDivisor;
    return this;
  }

  /** Adds scenarios of two threads that Lincheck draws. */
  public Exploration drawn() {
    drawn = DRAWN;
    return this;
  }

  /** The results must be those of this class when called by one thread, in some order. */
  public Exploration against(Class<?> newSpecification) {
    specification = newSpecification;
    return this;
  }

  /** Every interleaving up to some number, one step at a time. */
  public void check() {
    check(new ModelCheckingOptions(), ITERATIONS * factor / divisor);
  }

  private void check(Options<?, ?> options, int interleavings) {
    options.invocationTimeout$lincheck(TIMEOUT_MILLIS);
    options
        .iterations(drawn)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(1)
        .invocationsPerIteration(interleavings)
        .minimizeFailedScenario(false);
    for (String[] threads : scenarios) {
      List<List<Actor>> parallel = Arrays.stream(threads).map(this::actors).toList();
      options.addCustomScenario(
          new ExecutionScenario(actors(before), parallel, actors(afterwards), null));
    }
    if (specification != null) {
      options.sequentialSpecification(specification);
    } else {
      options.verifier(NothingThrown.class);
    }
    options.check(type);
  }

  private List<Actor> actors(String calls) {
    return calls.isEmpty() ? List.of() : Arrays.stream(calls.split(", ")).map(this::actor).toList();
  }

  private Actor actor(String call) {
    String[] words = call.split(" ");
    for (Method method : type.getMethods()) {
      if (method.getName().equals(words[0])) {
        return new Actor(
            method,
            Arrays.stream(words).skip(1).map(word -> (Object) Integer.valueOf(word)).toList());
      }
    }
    throw new IllegalArgumentException("no operation " + words[0] + " in " + type);
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

package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.Exploration;
import dev.mely.Mutant;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that {@link LincheckNioTest} and {@link LincheckNioStatesTest} would notice: each scenario
 * finds the bugs planted for it.
 */
@Timeout(600)
class LincheckNioMutantTest {

  static Stream<Arguments> mutants() {
    return Stream.of(
        mutant(
            "lost wake-up: the poller looks at the wish, then says who waits",
            "nio/SelectorPoller.java",
            "    worker = self;\n    waiter = self;\n    try {\n"
                + "      select(wanted.get() ? 0 : maxWaitNanos);",
            "    worker = self;\n    boolean wish = wanted.get();\n    waiter = self;\n    try {\n"
                + "      select(wish ? 0 : maxWaitNanos);",
            "LincheckNioTest$Reading",
            LincheckNioTest::wakeUps),
        mutant(
            "lost resume: an event lands, looks at ACTIVE, and clears IN_FLIGHT then",
            "nio/SourceState.java",
            "return clear(IN_FLIGHT) == (ACTIVE | IN_FLIGHT);",
            "return isActive() & clear(IN_FLIGHT) >= IN_FLIGHT;",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        mutant(
            "lost resume: looks whether an event is in flight, then sets ACTIVE",
            "nio/SourceState.java",
            "return set(ACTIVE) == 0;",
            "return (int) STATE.getVolatile(this) == 0 & set(ACTIVE) >= 0;",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        mutant(
            "pause forgets what is in flight",
            "nio/SourceState.java",
            "    clear(ACTIVE);",
            "    clear(ACTIVE | IN_FLIGHT);",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        mutant(
            "two take off: the state is read, then written",
            "nio/SourceState.java",
            "    return STATE.compareAndSet(this, ACTIVE, ACTIVE | IN_FLIGHT);",
            "    if ((int) STATE.getVolatile(this) != ACTIVE) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, ACTIVE | IN_FLIGHT);\n    return true;",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        mutant(
            "a descriptor leaks: the result of a cancelled operation is dropped",
            "nio/StartedOperation.java",
            "    } else {\n      close(value);\n    }\n",
            "    }\n",
            "LincheckNioTest$Ending",
            LincheckNioTest::operations),
        mutant(
            "delivered though cancelled: the outcome is read, then written",
            "nio/Outcome.java",
            "    return STATE.compareAndSet(this, ENDED, DELIVERED);",
            "    if (!STATE.compareAndSet(this, ENDED, ENDED)) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, DELIVERED);\n    return true;",
            "LincheckNioStatesTest$End",
            LincheckNioStatesTest::ends));
  }

  static Arguments mutant(
      String name,
      String file,
      String original,
      String replacement,
      String scenario,
      Function<Class<?>, Exploration> exploration) {
    return Arguments.of(new Mutant(name, file, original, replacement), scenario, exploration);
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(
      Mutant mutant,
      String scenario,
      Function<Class<?>, Exploration> exploration,
      @TempDir Path scratch)
      throws Exception {
    assertCaught(mutant, scenario, exploration, scratch);
  }

  static void assertCaught(
      Mutant mutant, String scenario, Function<Class<?>, Exploration> exploration, Path scratch)
      throws Exception {
    // A copy: Lincheck remembers what it has instrumented by name.
    Class<?> copy = mutant.loadCopy(scenario, scratch);
    Exploration withBug = exploration.apply(copy);
    LincheckAssertionError found = assertThrows(LincheckAssertionError.class, withBug::check);
    String kind = String.valueOf(found.getMessage()).strip().lines().findFirst().orElse("");
    System.out.println("caught: " + mutant + " (" + kind + ")");
  }
}

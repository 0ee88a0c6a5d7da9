package dev.mely.nio;

import dev.mely.LincheckMutant;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that {@link LincheckNioTest} and {@link LincheckNioStatesTest} would notice: each scenario
 * finds the bugs planted for it.
 */
@Tag("mutant")
@Timeout(600)
class LincheckNioMutantTest {

  static Stream<LincheckMutant> mutants() {
    return Stream.of(
        new LincheckMutant(
            "lost wake-up: the poller looks at the wish, then says who waits",
            "nio/SelectorPoller.java",
            "    worker = self;\n    waiter = self;\n    try {\n"
                + "      select(wanted.get() ? 0 : maxWaitNanos);",
            "    worker = self;\n    boolean wish = wanted.get();\n    waiter = self;\n    try {\n"
                + "      select(wish ? 0 : maxWaitNanos);",
            "LincheckNioTest$Reading",
            LincheckNioTest::wakeUps),
        new LincheckMutant(
            "lost resume: an event lands, looks at ACTIVE, and clears IN_FLIGHT then",
            "nio/SourceState.java",
            "return clear(IN_FLIGHT) == (ACTIVE | IN_FLIGHT);",
            "return isActive() & clear(IN_FLIGHT) >= IN_FLIGHT;",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        new LincheckMutant(
            "lost resume: looks whether an event is in flight, then sets ACTIVE",
            "nio/SourceState.java",
            "return set(ACTIVE) == 0;",
            "return (int) STATE.getVolatile(this) == 0 & set(ACTIVE) >= 0;",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        new LincheckMutant(
            "pause forgets what is in flight",
            "nio/SourceState.java",
            "    clear(ACTIVE);",
            "    clear(ACTIVE | IN_FLIGHT);",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        new LincheckMutant(
            "two take off: the state is read, then written",
            "nio/SourceState.java",
            "    return STATE.compareAndSet(this, ACTIVE, ACTIVE | IN_FLIGHT);",
            "    if ((int) STATE.getVolatile(this) != ACTIVE) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, ACTIVE | IN_FLIGHT);\n    return true;",
            "LincheckNioStatesTest$State",
            LincheckNioStatesTest::states),
        new LincheckMutant(
            "a descriptor leaks: the result of a cancelled operation is dropped",
            "nio/StartedOperation.java",
            "    } else {\n      close(value);\n    }\n",
            "    }\n",
            "LincheckNioTest$Ending",
            LincheckNioTest::operations),
        new LincheckMutant(
            "delivered though cancelled: the outcome is read, then written",
            "nio/Outcome.java",
            "    return STATE.compareAndSet(this, ENDED, DELIVERED);",
            "    if (!STATE.compareAndSet(this, ENDED, ENDED)) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, DELIVERED);\n    return true;",
            "LincheckNioStatesTest$End",
            LincheckNioStatesTest::ends));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(LincheckMutant mutant, @TempDir Path scratch) throws Exception {
    mutant.assertCaught(scratch);
  }
}

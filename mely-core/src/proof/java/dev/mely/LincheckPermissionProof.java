package dev.mely;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The scenarios of {@link LincheckPermissionsTest} with whole runtimes, which take long, and the
 * bugs that its scenarios find.
 */
@Timeout(600)
class LincheckPermissionProof {
  private static final String GRANTING = "LincheckPermissionsTest$Granting";
  private static final String THREE = "LincheckPermissionsTest$Three";
  private static final String CLOSING = "LincheckPermissionsTest$Closing";

  @Test
  void readersAreTogetherAndWritersAlone() {
    LincheckPermissionsTest.readersAtWork(LincheckPermissionsTest.ThreeOnTwoCores.class).check();
  }

  @Test
  void producersOfReadersAndWritersDoNotLoseEachOther() {
    LincheckPermissionsTest.producers(LincheckPermissionsTest.Three.class).check();
  }

  @Test
  void eventsOverTwoColorsAreInOneOrder() {
    LincheckPermissionsTest.severalAtWork(LincheckPermissionsTest.Three.class).check();
  }

  @Test
  void forkEndsBeforeWhatComesBehindIt() {
    LincheckPermissionsTest.forks(LincheckPermissionsTest.Five.class).check();
  }

  @Test
  void whatIsAcceptedWhileTheRuntimeClosesRunsOrIsRejected() {
    LincheckPermissionsTest.close(LincheckPermissionsTest.Closing.class).check();
  }

  static Stream<LincheckMutant> mutants() {
    return Stream.of(
        new LincheckMutant(
            "deadlock: the tickets of an event enter the queues one by one",
            "Granter.java",
            "atOnce ? stripes.lock(grant.asked.colors()) : 0;",
            "0;",
            GRANTING,
            LincheckPermissionsTest::several),
        new LincheckMutant(
            "the same, of a whole runtime",
            "Granter.java",
            "atOnce ? stripes.lock(grant.asked.colors()) : 0;",
            "0;",
            THREE,
            LincheckPermissionsTest::severalAtWork),
        new LincheckMutant(
            "a reader that leaves while others are let in takes the color for its own",
            "Color.java",
            "boolean last = (s & STATE_MASK) == SHARED && readers(s) == 1;",
            "boolean last = readers(s) == 1;",
            GRANTING,
            LincheckPermissionsTest::readers),
        new LincheckMutant(
            "a reader that leaves looks at who is there, then writes",
            "Color.java",
            "if (STATE.compareAndSet(this, s, last ? (left & ~STATE_MASK) | ADMITTING : left)) {",
            "STATE.setVolatile(this, last ? (left & ~STATE_MASK) | ADMITTING : left); if (s != 0) {",
            GRANTING,
            LincheckPermissionsTest::readers),
        new LincheckMutant(
            "a writer is let in beside readers",
            "HandOver.java",
            "(next != Ticket.WRITE || color.hasReaders())",
            "next != Ticket.WRITE",
            GRANTING,
            LincheckPermissionsTest::readers),
        new LincheckMutant(
            "two tickets are settled at once, and none is the last",
            "Grant.java",
            "return (int) MISSING.getAndAdd(this, -more) == more;",
            "int left = (int) MISSING.getVolatile(this); MISSING.setVolatile(this, left - more);"
                + " return left == more;",
            GRANTING,
            LincheckPermissionsTest::several),
        new LincheckMutant(
            "an idle color is looked at, then held",
            "Color.java",
            "if (!TAIL.compareAndSet(this, null, this)) {\n      return false;\n    }\n",
            "if (TAIL.getVolatile(this) != null) {\n      return false;\n    }\n"
                + "    TAIL.setVolatile(this, this);\n",
            GRANTING,
            LincheckPermissionsTest::several),
        new LincheckMutant(
            "a ticket that races the end is not looked after",
            "Scheduler.java",
            "    if (phase == CLOSED) {\n      rejection.reject(color);",
            "    if (phase == DRAINING) {\n      rejection.reject(color);",
            CLOSING,
            LincheckPermissionsTest::close));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(LincheckMutant mutant, @TempDir Path scratch) throws Exception {
    mutant.assertCaught(scratch);
  }
}

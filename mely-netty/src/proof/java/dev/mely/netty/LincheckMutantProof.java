package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.kit.Exploration;
import dev.mely.kit.Mutant;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Shows that the Lincheck scenarios would notice: each bug is found by the scenario beside it. */
@Timeout(600)
class LincheckMutantProof {
  private static final String CHANNEL = "LincheckReadinessTest$Channel";
  private static final String SECTION = "LincheckSectionTest$Section";
  private static final String CORE = "LincheckPollerTest$Core";

  static Stream<Arguments> mutants() {
    return Stream.of(
        mutant(
            "a mask looks at the state, then writes",
            "Readiness.java",
            "!STATE.compareAndSet(this, IN_FLIGHT, MASKED)) {\n        return;\n      }\n",
            "!isInFlight()) {\n        return;\n      }\n"
                + "      STATE.setVolatile(this, MASKED);\n",
            CHANNEL,
            LincheckReadinessTest::served),
        mutant(
            "masking and arming do not exclude each other",
            "Readiness.java",
            "  void mask() {\n    synchronized (this) {",
            "  void mask() {\n    synchronized (new Object()) {",
            CHANNEL,
            LincheckReadinessTest::served),
        mutant(
            "what was masked is not armed again",
            "Readiness.java",
            "      rearm();\n",
            "      STATE.setRelease(this, IDLE);\n",
            CHANNEL,
            LincheckReadinessTest::served),
        mutant(
            "what is in flight is claimed again",
            "Readiness.java",
            "if (s == IDLE) {",
            "if (s != MASKED) {",
            CHANNEL,
            LincheckReadinessTest::served),
        mutant(
            "handled looks at the state, then writes",
            "Readiness.java",
            "    if (!STATE.compareAndSet(this, IN_FLIGHT, IDLE)) {\n      rearm();\n    }",
            "    if (isInFlight()) {\n      STATE.setVolatile(this, IDLE);\n"
                + "    } else {\n      rearm();\n    }",
            CHANNEL,
            LincheckReadinessTest::served),
        mutant(
            "the holder leaves and does not look again",
            "PollSection.java",
            "while (!tasks.isEmpty() && tryEnter());",
            "while (tasks == null);",
            SECTION,
            LincheckSectionTest::tasks),
        mutant(
            "the sender looks for a holder, then leaves its task",
            "PollSection.java",
            "    tasks.add(task);\n    if (tryEnter()) {\n      exit();\n",
            "    boolean entered = tryEnter();\n    tasks.add(task);\n"
                + "    if (entered) {\n      exit();\n",
            SECTION,
            LincheckSectionTest::tasks),
        mutant(
            "the holder runs what is left when it is out already",
            "PollSection.java",
            "      runTasks();\n      owner = null;\n",
            "      owner = null;\n      runTasks();\n",
            SECTION,
            LincheckSectionTest::tasks),
        mutant(
            "whoever enters looks, then writes",
            "PollSection.java",
            "        && OWNER.compareAndSet(this, (Thread) null, self);",
            "        && enterAs(self);\n  }\n\n"
                + "  private boolean enterAs(Thread self) {\n"
                + "    owner = self;\n    return true;",
            SECTION,
            LincheckSectionTest::tasks),
        mutant(
            "a task that is left wakes nobody",
            "PollSection.java",
            "    } else if (owner != Thread.currentThread()) {\n      wake();\n    }",
            "    }",
            CORE,
            LincheckPollerTest::tasks),
        mutant(
            "a wake-up looks who waits, then says what it wants",
            "IoPoller.java",
            "    wakeupWanted = true;\n    if (waiting) {\n      io.wakeup();\n    }",
            "    if (waiting) {\n      io.wakeup();\n    }\n    wakeupWanted = true;",
            CORE,
            LincheckPollerTest::wakeups),
        mutant(
            "a wish for a short wait is not looked at",
            "IoPoller.java",
            "return waits && !wakeupWanted && !section.hasTasks() &&",
            "return waits && !section.hasTasks() &&",
            CORE,
            LincheckPollerTest::wakeups),
        mutant(
            "the wish is taken back before the wait",
            "IoPoller.java",
            "    waiting = true;\n",
            "    waiting = true;\n    takeWakeup();\n",
            CORE,
            LincheckPollerTest::wakeups),
        mutant(
            "the wait is published when it is over",
            "IoPoller.java",
            "    waiting = true;\n    looks = 0;\n    try {\n      io.run(this);\n",
            "    looks = 0;\n    try {\n      io.run(this);\n      waiting = true;\n",
            CORE,
            LincheckPollerTest::wakeups),
        mutant(
            "a poll that does not wait takes the wish of the one that will",
            "IoPoller.java",
            "    if (!waits) {\n      io.run(this);\n",
            "    if (!waits) {\n      io.run(this);\n      takeWakeup();\n",
            CORE,
            LincheckPollerTest::wakeups),
        mutant(
            "a change does not wake who waits",
            "IoPoller.java",
            "    if (waiting) {\n      wakeup();\n    }",
            "",
            CORE,
            LincheckPollerTest::changes));
  }

  private static Arguments mutant(
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
    Exploration withBug = exploration.apply(mutant.loadCopy(scenario, scratch));
    LincheckAssertionError found = assertThrows(LincheckAssertionError.class, withBug::check);
    System.out.println("caught: " + mutant + " (" + kind(found) + ")");
  }

  /** It is the bug that is found, not the copy. */
  @Test
  void copyWithoutABugHolds(@TempDir Path scratch) throws Exception {
    Mutant none = new Mutant("no bug", "PollSection.java", "owner == null", "null == owner");
    LincheckSectionTest.tasks(none.loadCopy(SECTION, scratch)).check();
  }

  private static String kind(LincheckAssertionError found) {
    return String.valueOf(found.getMessage()).strip().lines().findFirst().orElse("");
  }
}

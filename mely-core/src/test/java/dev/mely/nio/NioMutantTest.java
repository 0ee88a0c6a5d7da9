package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kit.Mutant;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each scenario passes, and notices the bug that is planted for it. */
@Tag("mutant")
@Timeout(300)
class NioMutantTest {
  /** The scenarios take milliseconds. */
  private static final long HANGS_SECONDS = 3;

  record Planted(Mutant mutant, Scenario noticedBy) {}

  static List<Planted> planted() {
    return List.of(
        new Planted(
            new Mutant(
                "a source is not armed again after its handler",
                "nio/SourceState.java",
                "== (ACTIVE | IN_FLIGHT);",
                "== -1;"),
            Scenario.READ_IN_PIECES),
        new Planted(
            new Mutant(
                "a change of interest does not wake the selector",
                "nio/ChannelKey.java",
                "poller.wakeIfWaiting(); // a selector takes",
                "// a selector takes"),
            Scenario.RESUME_WHILE_ASLEEP),
        new Planted(
            new Mutant(
                "closing a channel does not wake the selector",
                "nio/Selectors.java",
                "if (key != null) {\n        key.closed();",
                "if (key == null) {\n        pollers.get(0).wakeup();"),
            Scenario.CLOSE_WHILE_ASLEEP),
        new Planted(
            new Mutant(
                "a wake-up is left to the selector's own flag",
                "nio/SelectorPoller.java",
                "select(wanted.get() ? 0 : maxWaitNanos);",
                "select(maxWaitNanos);"),
            Scenario.WAKEUP_BETWEEN_POLLS),
        new Planted(
            new Mutant(
                "what is in flight stays in the interest set",
                "nio/ChannelKey.java",
                "      key.interestOpsAnd(~op);\n",
                ""),
            Scenario.SLEEP_WHILE_IN_FLIGHT));
  }

  /** As the next test does it, without a bug. */
  @ParameterizedTest
  @EnumSource
  void passes(Scenario scenario, @TempDir Path scratch) throws Exception {
    Mutant harmless =
        new Mutant("nothing", "nio/BackOff.java", "class BackOff {", "class BackOff { // same");
    start(harmless, scenario, scratch).task().get();
  }

  @ParameterizedTest
  @MethodSource("planted")
  void plantedBugIsNoticed(Planted planted, @TempDir Path scratch) throws Exception {
    Running running = start(planted.mutant(), planted.noticedBy(), scratch);
    assertTrue(isNoticed(running.task()), () -> planted.noticedBy() + " has not noticed it");
    running.thread().interrupt();
  }

  private record Running(Thread thread, FutureTask<Void> task) {}

  private static Running start(Mutant mutant, Scenario scenario, Path scratch) throws Exception {
    Method run = mutant.load("Scenario", scratch).getMethod("run", String.class);
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              run.invoke(null, scenario.name());
              return null;
            });
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return new Running(thread, task);
  }

  private static boolean isNoticed(FutureTask<Void> task) throws Exception {
    try {
      task.get(HANGS_SECONDS, TimeUnit.SECONDS);
      return false;
    } catch (TimeoutException e) {
      return true;
    } catch (ExecutionException e) {
      // An assertion of the scenario, and not that it could not be run at all.
      return e.getCause() instanceof InvocationTargetException thrown
          && thrown.getCause() instanceof AssertionError;
    }
  }
}

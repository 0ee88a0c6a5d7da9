package dev.mely.netty.peers;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Main class of the virtual machine that runs a suite: runs what a file names, adds the results to
 * another, and goes on where an earlier virtual machine was stopped. A test whose time is over
 * stops this one, with all stacks in the log.
 */
public final class TestRun implements TestExecutionListener {
  /** Exit code after a test that hung: there may be more to do. */
  static final int HUNG = 3;

  /** Begins the line of the log that says how many groups there were. */
  static final String GROUPS = "groups made: ";

  private final Path results;
  private final Map<String, Result> before;
  private final int round;
  private final Map<String, Long> running = new ConcurrentHashMap<>();

  private TestRun(Path results, int round) throws IOException {
    this.results = results;
    this.before = Result.read(results);
    this.round = round;
  }

  /** Arguments: file of tests, file of tests to leave out, file of results, rounds, seconds. */
  public static void main(String[] args) throws Exception {
    Path tests = Path.of(args[0]);
    Set<Pattern> leftOut =
        Files.readAllLines(Path.of(args[1])).stream()
            .map(Pattern::compile)
            .collect(Collectors.toSet());
    Path results = Path.of(args[2]);
    for (Result result : Result.read(results).values()) {
      if (result.outcome().isEmpty()) {
        new Result(
                result.round(), Optional.of(Outcome.FAILED), result.test(), 0, "the process ended")
            .append(results);
      }
    }
    ByteBuddyAgent.install().addTransformer(new GroupRewriter());
    Launcher launcher = LauncherFactory.create();
    for (int round = 0; round < Integer.parseInt(args[3]); round++) {
      TestRun run = new TestRun(results, round);
      run.watch(TimeUnit.SECONDS.toNanos(Long.parseLong(args[4])));
      launcher.execute(
          LauncherDiscoveryRequestBuilder.request()
              .selectors(Files.readAllLines(tests).stream().map(TestRun::selector).toList())
              .filters((PostDiscoveryFilter) test -> run.isWanted(test, leftOut))
              .build(),
          run);
    }
    printGroups();
    System.exit(0); // suites leave threads behind
  }

  private static void printGroups() {
    System.out.printf(
        "%n%s%d, and %d of Netty's own for want of a constructor%n",
        GROUPS, PeerGroups.made(), PeerGroups.refused());
  }

  private static DiscoverySelector selector(String test) {
    if (test.startsWith("[")) {
      return selectUniqueId(test);
    }
    return test.contains("#") ? selectMethod(test) : selectClass(test);
  }

  private FilterResult isWanted(TestDescriptor test, Set<Pattern> leftOut) {
    String id = test.getUniqueId().toString();
    if (test.isContainer() && !test.getChildren().isEmpty()) {
      return FilterResult.included("class");
    }
    boolean done =
        before.containsKey(Result.key(round, id))
            || before.values().stream()
                .anyMatch(r -> r.round() == round && r.test().startsWith(id + "/"));
    boolean out = leftOut.stream().anyMatch(pattern -> pattern.matcher(id).find());
    return FilterResult.includedIf(!done && !out);
  }

  /** Stops the virtual machine if a test takes longer. */
  private void watch(long nanos) {
    Thread thread =
        new Thread(
            () -> {
              while (true) {
                try {
                  Thread.sleep(200);
                } catch (InterruptedException e) {
                  return;
                }
                running.forEach(
                    (test, begun) -> {
                      if (System.nanoTime() - begun > nanos) {
                        stop(test, nanos);
                      }
                    });
              }
            },
            "peers-watch");
    thread.setDaemon(true);
    thread.start();
  }

  private void stop(String test, long nanos) {
    System.err.println("HUNG: " + test);
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              System.err.println(thread);
              for (StackTraceElement element : stack) {
                System.err.println("\tat " + element);
              }
            });
    printGroups();
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    append(Outcome.HUNG, test, seconds * 1000, "not ended after " + seconds + " s");
    Runtime.getRuntime().halt(HUNG);
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      append(null, test.getUniqueId(), 0, "");
      running.put(test.getUniqueId(), System.nanoTime());
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Long begun = running.remove(test.getUniqueId());
    boolean successful = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
    if (!test.isTest() && successful) {
      return;
    }
    Outcome outcome =
        switch (result.getStatus()) {
          case SUCCESSFUL -> Outcome.PASSED;
          case ABORTED -> Outcome.SKIPPED;
          case FAILED -> Outcome.FAILED;
        };
    result
        .getThrowable()
        .filter(thrown -> outcome == Outcome.FAILED)
        .ifPresent(
            thrown -> {
              System.err.println("FAILED: " + test.getUniqueId());
              thrown.printStackTrace();
            });
    append(
        outcome,
        test.getUniqueId(),
        begun == null ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun),
        result.getThrowable().map(Throwable::toString).orElse(""));
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    append(Outcome.SKIPPED, test.getUniqueId(), 0, reason);
  }

  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    System.out.println("round " + round);
  }

  private void append(@Nullable Outcome outcome, String test, long millis, String text) {
    try {
      new Result(round, Optional.ofNullable(outcome), test, millis, text).append(results);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

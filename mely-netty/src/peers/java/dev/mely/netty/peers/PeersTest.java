package dev.mely.netty.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Suites of others on Mely's group, in both modes, beside the same run on Netty's own: what is
 * worse than there is a failure.
 */
class PeersTest {
  private static final String ONE = "mely.peers.test";
  private static final Path REPORT = Path.of("target", "peers", "report.md");

  @BeforeAll
  static void beginReport() throws IOException {
    Files.createDirectories(REPORT.getParent());
    Files.writeString(
        REPORT,
        "| Suite | Mode | Tests | Passed, stock | Passed, mode | Run again |\n"
            + "|---|---|---|---|---|---|\n");
  }

  @TestFactory
  @DisabledIfSystemProperty(named = ONE, matches = ".+")
  Stream<DynamicNode> nothingIsWorseThanOnNettysOwnGroup() throws IOException {
    Exceptions exceptions = Exceptions.read();
    Set<String> wanted = Set.of(System.getProperty("mely.peers.suites", "").split(","));
    return Suite.read(Boolean.getBoolean("mely.peers.nightly")).stream()
        .filter(suite -> wanted.contains("") || wanted.contains(suite.name()))
        .map(suite -> dynamicContainer(suite.name(), tests(suite, exceptions)));
  }

  private static Stream<DynamicNode> tests(Suite suite, Exceptions exceptions) {
    Map<String, Result> stock = new HashMap<>();
    List<DynamicNode> tests = new ArrayList<>();
    tests.add(
        dynamicTest(
            Mode.STOCK.toString(),
            () -> {
              stock.putAll(MachineLock.hold(() -> run(suite, Mode.STOCK, exceptions)));
              long passed =
                  stock.values().stream()
                      .filter(result -> result.outcome().equals(Optional.of(Outcome.PASSED)))
                      .count();
              // What fails on both is no difference: a suite that cannot run here shows nothing.
              assertTrue(2 * passed > stock.size(), () -> passed + " passed of " + stock.size());
            }));
    for (Mode mode : modes()) {
      tests.add(
          dynamicTest(
              mode.toString(),
              () -> {
                Map<String, Result> results = MachineLock.hold(() -> run(suite, mode, exceptions));
                Comparison comparison = new Comparison(suite, mode, exceptions, stock, results);
                Files.write(REPORT, comparison.report(), StandardOpenOption.APPEND);
                comparison.report().forEach(System.out::println);
                assertEquals(List.of(), comparison.differences());
              }));
    }
    return tests.stream();
  }

  private static Map<String, Result> run(Suite suite, Mode mode, Exceptions exceptions)
      throws IOException, InterruptedException {
    Fork fork =
        new Fork(suite.name(), mode, exceptions.leftOut().stream().map(Pattern::pattern).toList());
    long begin = System.nanoTime();
    long deadline = begin + TimeUnit.MINUTES.toNanos(suite.minutes());
    Map<String, Result> results = fork.run(suite.classes(), suite.rounds(), deadline);
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
    System.out.printf("%s, %s: %d tests, %d s%n", suite.name(), mode, results.size(), seconds);
    assertTrue(fork.hasEnded(), () -> suite.name() + " has not ended in time, see the log");
    assertTrue(fork.groups() > 0, "not one group has been asked for");
    return results;
  }

  private static Collection<Mode> modes() {
    return Stream.of(System.getProperty("mely.peers.modes", "mely,migrating").split(","))
        .map(Mode::named)
        .toList();
  }

  /** One test, or several, many times. */
  @Test
  @EnabledIfSystemProperty(named = ONE, matches = ".+")
  void oneTestManyTimes() throws Exception {
    List<String> tests = List.of(System.getProperty(ONE).split(","));
    int rounds = Integer.getInteger("mely.peers.repeat", 40);
    Collection<Result> stock = MachineLock.hold(() -> repeat(Mode.STOCK, tests, rounds));
    List<String> differences = new ArrayList<>();
    for (Mode mode : modes()) {
      Collection<Result> results = MachineLock.hold(() -> repeat(mode, tests, rounds));
      for (String test : new TreeSet<>(stock.stream().map(Result::test).toList())) {
        Rate onStock = Rate.of(test, stock);
        Rate onMode = Rate.of(test, results);
        String line = test + ": stock " + onStock + ", " + mode + " " + onMode;
        System.out.println(line);
        if (onMode.runs() < onStock.runs() || onMode.differsFrom(onStock)) {
          differences.add(line);
        }
      }
    }
    assertFalse(stock.isEmpty(), "no tests");
    assertEquals(List.of(), differences);
  }

  private static Collection<Result> repeat(Mode mode, List<String> tests, int rounds)
      throws IOException, InterruptedException {
    long deadline =
        System.nanoTime() + TimeUnit.MINUTES.toNanos(Long.getLong("mely.peers.minutes", 15));
    return new Fork("one", mode, List.of()).run(tests, rounds, deadline).values();
  }
}

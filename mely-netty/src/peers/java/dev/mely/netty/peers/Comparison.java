package dev.mely.netty.peers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A suite in one mode, beside the same suite on Netty's own group. A test that was worse than
 * there, and may not be, runs again, many times on both, and the rates are compared: tests of
 * others fail on Netty's own group, too, now and then.
 */
final class Comparison {
  /** How often a test runs again. */
  private static final int ROUNDS = Integer.getInteger("mely.peers.rounds", 10);

  /** Of a test that fails on both: does it always fail on Netty's own? */
  private static final int FEW_ROUNDS = 2;

  private final Suite suite;
  private final Mode mode;
  private final Exceptions exceptions;
  private final Map<String, Result> stock;
  private final Map<String, Result> mely;
  private final List<String> report = new ArrayList<>();
  private final List<String> differences = new ArrayList<>();

  /**
   * Compares.
   *
   * @param stock what Netty's own group has made of the suite
   * @param mely what the mode has made of it
   */
  Comparison(
      Suite suite,
      Mode mode,
      Exceptions exceptions,
      Map<String, Result> stock,
      Map<String, Result> mely)
      throws IOException, InterruptedException {
    this.suite = suite;
    this.mode = mode;
    this.exceptions = exceptions;
    this.stock = stock;
    this.mely = mely;
    compare();
  }

  private void compare() throws IOException, InterruptedException {
    Set<String> suspects = new TreeSet<>();
    Set<String> badOnBoth = new TreeSet<>();
    for (Result result : stock.values()) {
      boolean worse = isBad(mely.get(result.key()));
      if (worse && !isBad(result)) {
        suspects.add(result.test());
      } else if (worse) {
        badOnBoth.add(result.test());
      }
    }
    for (Result result : mely.values()) {
      if (isBad(result) && !stock.containsKey(result.key())) {
        suspects.add(result.test());
      }
    }
    if (!badOnBoth.isEmpty()) {
      Collection<Result> again = again(Mode.STOCK, badOnBoth, FEW_ROUNDS);
      badOnBoth.removeIf(test -> Rate.of(test, again).bad() == Rate.of(test, again).runs());
      suspects.addAll(badOnBoth);
    }
    // One that hangs would take the time of all others, and nobody asks how often it does.
    List<String> excepted =
        suspects.stream().filter(test -> exceptions.mayDiffer(test, mode)).toList();
    suspects.removeAll(excepted);
    report.add(
        "| %s | %s | %d | %d | %d | %d |"
            .formatted(
                suite.name(),
                mode,
                stock.size(),
                count(stock, Outcome.PASSED),
                count(mely, Outcome.PASSED),
                suspects.size()));
    for (String test : excepted) {
      report.add("excepted: %s %s, %s: %s".formatted(suite.name(), test, mode, message(test)));
    }
    if (!suspects.isEmpty()) {
      repeat(suspects);
    }
  }

  private void repeat(Set<String> suspects) throws IOException, InterruptedException {
    Collection<Result> melyAgain = again(mode, suspects, ROUNDS);
    Collection<Result> stockAgain = again(Mode.STOCK, suspects, ROUNDS);
    for (String test : suspects) {
      Rate onStock = Rate.of(test, stock.values()).plus(Rate.of(test, stockAgain));
      Rate onMely = Rate.of(test, mely.values()).plus(Rate.of(test, melyAgain));
      boolean differs = onMely.differsFrom(onStock);
      String line =
          "%s: %s %s: stock %s, %s %s: %s"
              .formatted(
                  differs ? "DIFFERENT" : "noise",
                  suite.name(),
                  test,
                  onStock,
                  mode,
                  onMely,
                  message(test));
      report.add(line);
      if (differs) {
        differences.add(line);
      }
    }
  }

  private String message(String test) {
    return Optional.ofNullable(mely.get(Result.key(0, test)))
        .map(Result::message)
        .orElse("not run");
  }

  private Collection<Result> again(Mode where, Set<String> tests, int rounds)
      throws IOException, InterruptedException {
    Fork fork = new Fork(suite.name() + "-" + mode + "-again", where, List.of());
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(suite.minutes());
    return fork.run(List.copyOf(tests), rounds, deadline).values();
  }

  private static boolean isBad(@Nullable Result result) {
    return result == null || result.outcome().map(Outcome::isBad).orElse(true);
  }

  private static long count(Map<String, Result> results, Outcome outcome) {
    return results.values().stream()
        .filter(result -> result.outcome().equals(Optional.of(outcome)))
        .count();
  }

  /** A line of a table, then one for each test that was worse. */
  List<String> report() {
    return report;
  }

  /** Those that count. */
  List<String> differences() {
    return differences;
  }
}

package dev.mely.netty.peers;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The tests that are not run in any mode, and those that may differ, each with its reason: {@code
 * exceptions.txt}.
 *
 * @param leftOut that are not run
 * @param different that may fail on Mely's group
 * @param moving that may fail where colors move at random, and have to be the same by default
 */
record Exceptions(List<Pattern> leftOut, List<Pattern> different, List<Pattern> moving) {

  static Exceptions read() throws IOException {
    List<String> lines = Suite.lines("exceptions.txt");
    for (String line : lines) {
      assertTrue(
          line.matches("(out|differs|moves) +\\S+ : \\S.{20,}"),
          () -> "kind, test, reason: " + line);
    }
    return new Exceptions(
        patterns("out ", lines), patterns("differs ", lines), patterns("moves ", lines));
  }

  private static List<Pattern> patterns(String kind, List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(kind))
        .map(line -> line.substring(kind.length(), line.indexOf(" : ")).strip())
        .map(Pattern::compile)
        .toList();
  }

  boolean mayDiffer(String test, Mode mode) {
    return finds(different, test) || (mode == Mode.MIGRATING && finds(moving, test));
  }

  private static boolean finds(List<Pattern> patterns, String test) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(test).find());
  }
}

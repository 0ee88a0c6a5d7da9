package dev.mely.netty.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A line of a file of results: what became of a test in one round.
 *
 * @param round from 0; in each every test runs once
 * @param outcome empty if the test had only begun when its virtual machine ended
 * @param test its unique id for JUnit
 * @param millis that it took
 * @param message of its failure, in one line
 */
record Result(int round, Optional<Outcome> outcome, String test, long millis, String message) {
  private static final String BEGUN = "BEGUN";
  private static final int MOST_CHARACTERS = 400;

  Result {
    message = message.lines().map(String::strip).reduce("", (a, b) -> (a + " " + b).strip());
    message = message.replace('\t', ' ');
    message = message.substring(0, Math.min(MOST_CHARACTERS, message.length()));
  }

  /** Adds it to the file, at once: the virtual machine may be stopped in the next moment. */
  void append(Path file) throws IOException {
    String line =
        String.join(
            "\t",
            Integer.toString(round),
            outcome.map(Outcome::name).orElse(BEGUN),
            test,
            Long.toString(millis),
            message);
    Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Reads a file: of each round and test the last line. */
  static Map<String, Result> read(Path file) throws IOException {
    Map<String, Result> results = new LinkedHashMap<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] parts = line.split("\t", 5);
        Result result =
            new Result(
                Integer.parseInt(parts[0]),
                parts[1].equals(BEGUN) ? Optional.empty() : Optional.of(Outcome.valueOf(parts[1])),
                parts[2],
                Long.parseLong(parts[3]),
                parts[4]);
        results.put(result.key(), result);
      }
    }
    return results;
  }

  String key() {
    return key(round, test);
  }

  static String key(int round, String test) {
    return round + "\t" + test;
  }
}

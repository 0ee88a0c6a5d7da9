package dev.mely.netty.peers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A suite of others.
 *
 * @param name of the suite
 * @param minutes that it may take in one mode
 * @param rounds how many times each test runs
 * @param classes to run, or methods of them: {@code a.b.C#d}
 */
record Suite(String name, int minutes, int rounds, List<String> classes) {
  private static final String NIGHTLY = "nightly ";

  /**
   * Reads {@code suites.txt}.
   *
   * @param nightly whether to run all of it, or the share that each build has time for
   */
  static List<Suite> read(boolean nightly) throws IOException {
    List<Suite> suites = new ArrayList<>();
    for (String line : lines("suites.txt")) {
      if (!line.startsWith(" ")) {
        String[] parts = line.split("\\s*,\\s*");
        int rounds = parts.length > 2 ? Integer.parseInt(parts[2]) : 1;
        suites.add(new Suite(parts[0], Integer.parseInt(parts[1]), rounds, new ArrayList<>()));
      } else {
        String name = line.strip();
        boolean later = name.startsWith(NIGHTLY);
        if (nightly || !later) {
          suites
              .get(suites.size() - 1)
              .classes
              .add(later ? name.substring(NIGHTLY.length()).strip() : name);
        }
      }
    }
    suites.removeIf(suite -> suite.classes.isEmpty());
    return suites;
  }

  /** The lines of a resource, but not its comments. */
  static List<String> lines(String resource) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(Suite.class.getResourceAsStream(resource), resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }
}

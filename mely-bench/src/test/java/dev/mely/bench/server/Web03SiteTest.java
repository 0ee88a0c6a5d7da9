package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts of the requests; the seed is fixed, so they are always the same. */
class Web03SiteTest {
  private static final List<String> PATHS = new Web03Site().paths();

  private static Map<String, Double> shares(String expression, String group) {
    Map<String, Double> shares = new HashMap<>();
    PATHS.forEach(
        p -> shares.merge(p.replaceAll(expression, group), 1.0 / PATHS.size(), Double::sum));
    return shares;
  }

  @Test
  void asksForNearlyAllOfThe720FilesAndForNoOther(@TempDir Path root) throws IOException {
    new Web03Site().write(root);
    Set<String> all = new HashSet<>();
    try (Stream<Path> files = Files.walk(root)) {
      files
          .filter(Files::isRegularFile)
          .forEach(file -> all.add("/" + root.relativize(file).toString()));
    }
    assertEquals(720, all.size());
    assertTrue(all.containsAll(PATHS));
    // A large one of the last directory is asked for once in 65,000 requests.
    assertTrue(Set.copyOf(PATHS).size() > 700);
  }

  @Test
  void isTheSameEachTime() {
    assertEquals(PATHS, new Web03Site().paths());
  }

  @Test
  void mixesTheClasses() {
    Map<String, Double> shares = shares(".*class(.)_.*", "$1");
    assertEquals(0.35, shares.get("0"), 0.005);
    assertEquals(0.50, shares.get("1"), 0.005);
    assertEquals(0.14, shares.get("2"), 0.005);
    assertEquals(0.01, shares.get("3"), 0.001);
  }

  /** The n-th directory 1/n as often as the first, whose share is 1/(1 + 1/2 + ... + 1/20). */
  @Test
  void prefersTheFirstDirectories() {
    Map<String, Double> shares = shares("/dir0*(\\d+)/.*", "$1");
    assertEquals(20, shares.size());
    for (int d = 0; d < 20; d++) {
      assertEquals(1 / 3.5977 / (1 + d), shares.get(Integer.toString(d)), 0.005);
    }
  }

  @Test
  void likesTheFilesOfAClassAlike() {
    Map<String, Double> shares = shares(".*_", "");
    assertEquals(9, shares.size());
    shares.forEach((file, share) -> assertEquals(1 / 9.0, share, 0.005, file));
  }

  /** 14.8 KB a request, and a third of the bytes in one request of a hundred. */
  @Test
  void asksForThePapersBytes() {
    double bytes = 0;
    double least = Double.MAX_VALUE;
    for (String path : PATHS) {
      int at = path.indexOf("class");
      int size = Web03Site.size(path.charAt(at + 5) - '0', path.charAt(at + 7) - '0');
      bytes += size;
      least = Math.min(least, size);
    }
    assertEquals(14_900, bytes / PATHS.size(), 500);
    assertEquals(new Web03Site().leastBytes(), least);
    assertTrue(PATHS.stream().allMatch(p -> p.startsWith("/dir")));
  }
}

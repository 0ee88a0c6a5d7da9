package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PaperTest {
  private static Paper paper(String benchmark, String load) {
    Score score = new Score("rate", "M events/s", 1e6, 2, true);
    return Objects.requireNonNull(
        Paper.of(new Results(benchmark, load, score, Map.of(), Map.of(), Map.of())));
  }

  private static double ratio(Paper paper, String contender, String other) {
    return paper.figure(contender, "rate") / paper.figure(other, "rate");
  }

  /** What the text of the papers says of their tables. */
  @Test
  void saysWhatTheTextSays() {
    Paper unbalanced = paper("unbalanced", "unbalanced");
    assertEquals(0.1, ratio(unbalanced, "libasync-ws", "libasync"), 0.01); // -90 %
    assertEquals(1 - 0.055, ratio(unbalanced, "mely-base-ws", "mely"), 0.001); // -5.5 %
    assertEquals(1.70, ratio(unbalanced, "mely-time-left", "mely-base-ws"), 0.01); // +70 %
    String steal = "nanosPerSteal"; // a factor of 12.5
    assertEquals(
        12.5,
        unbalanced.figure("libasync-ws", steal) / unbalanced.figure("mely-base-ws", steal),
        0.05);
    assertEquals(1.53, ratio(paper("penalty", "chains"), "mely-penalty", "mely-base-ws"), 0.01);
    assertEquals(
        1.31, ratio(paper("cacheEfficient", "merge-sort"), "mely-locality", "mely-base-ws"), 0.01);
  }

  @Test
  void keepsTheTimeOfACycle() {
    Paper unbalanced = paper("unbalanced", "unbalanced");
    assertEquals(28_329 / 2.33, unbalanced.figure("libasync-ws", "nanosPerSteal"), 1);
    assertEquals(0.3973, unbalanced.figure("libasync-ws", "lockShare"), 1e-9);
  }

  @Test
  void standsBesideBothImplementations() {
    Paper unbalanced = paper("unbalanced", "unbalanced");
    assertEquals(2_042_000, unbalanced.figure("mely-time-left", "rate"));
    assertEquals(2_042_000, unbalanced.figure("mely-spinlock-time-left", "rate"));
    assertTrue(Double.isNaN(unbalanced.figure("mely-all", "rate")));
    assertTrue(Double.isNaN(unbalanced.figure("mely-time-left", "nanosPerSteal")));
  }

  @Test
  void saysNothingOfOtherLoads() {
    Score score = new Score("rate", "", 1, 0, true);
    assertNull(
        Paper.of(new Results("unbalanced", "all-short", score, Map.of(), Map.of(), Map.of())));
    assertNotNull(paper("chains", "25k-cycles"));
  }

  /** The number of JVMs is the last thing to be checked. */
  @Test
  void namesWhatThereIs() {
    for (Paper paper : Paper.ALL) {
      List<String> contenders =
          paper.rows().stream().flatMap(r -> r.contenders().stream()).toList();
      StringWriter err = new StringWriter();
      String line =
          "micro --forks 0 --benchmark %s --load %s --configurations %s"
              .formatted(
                  paper.benchmark(), String.join(",", paper.loads()), String.join(",", contenders));
      assertEquals(2, Main.run(new PrintWriter(err, true), line.split(" ")));
      assertTrue(err.toString().contains("--forks must be"), err::toString);
    }
  }
}

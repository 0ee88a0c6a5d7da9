package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The documents are for readers: what is long belongs into the notebook in {@code docs/lab}. */
class DocumentSizeTest {
  private static final int MOST_WORDS = 45_000;
  private static final int MOST_LINES_OF_BENCHMARKS = 300;
  private static final int MOST_LINES_OF_CHANGELOG = 40;
  private static final int MOST_LINES_OF_A_RECORD = 15;

  @Test
  void allDocumentsTogetherAreShort() {
    String sizes =
        Pages.all().stream()
            .map(page -> page.getFileName() + " " + words(page))
            .collect(Collectors.joining(", "));
    int sum = Pages.all().stream().mapToInt(DocumentSizeTest::words).sum();
    assertTrue(sum > 1_000 && sum <= MOST_WORDS, () -> sum + " words: " + sizes);
  }

  private static int words(Path page) {
    return Pages.read(page).strip().split("\\s+").length;
  }

  @Test
  void benchmarksAreShort() {
    long lines = Pages.read(Pages.page("benchmarks.md")).lines().count();
    assertTrue(lines <= MOST_LINES_OF_BENCHMARKS, () -> lines + " lines");
  }

  /** Until the first release it says what there is; each later release adds a heading. */
  @Test
  void changelogIsShort() {
    List<String> lines = Pages.read(Pages.ROOT.resolve("CHANGELOG.md")).lines().toList();
    long releases = lines.stream().filter(line -> line.startsWith("## [")).count();
    assertTrue(releases > 0, "no release");
    assertTrue(
        releases > 1 || lines.size() <= MOST_LINES_OF_CHANGELOG, () -> lines.size() + " lines");
  }

  @Test
  void eachDecisionIsShort() {
    List<String> tooLong = new ArrayList<>();
    String[] records = Pages.read(Pages.page("decisions.md")).split("\n(?=## )");
    assertTrue(records.length > 20, () -> "records: " + records.length);
    for (int i = 1; i < records.length; i++) { // the first is the index
      long lines = records[i].strip().lines().count();
      if (lines > MOST_LINES_OF_A_RECORD) {
        tooLong.add(records[i].lines().findFirst().orElseThrow() + ": " + lines);
      }
    }
    assertEquals(List.of(), tooLong);
  }

  /** A record without a reason or without a choice is a note. */
  @Test
  void eachDecisionHasAContextAndADecision() {
    String[] records = Pages.read(Pages.page("decisions.md")).split("\n(?=## )");
    List<String> incomplete = new ArrayList<>();
    for (int i = 1; i < records.length; i++) {
      if (!records[i].contains("- **Context.** ") || !records[i].contains("- **Decision.** ")) {
        incomplete.add(records[i].lines().findFirst().orElseThrow());
      }
    }
    assertEquals(List.of(), incomplete);
  }
}

package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every number such as B12 in a comment is explained in docs/requirements.md. */
class RequirementsTest {
  /** The compilers C1 and C2 are none; C is cited by the map of the papers alone. */
  private static final Pattern ID = Pattern.compile("\\b([ABDEN][1-9]\\d?)\\b");

  private static final Pattern ROW = Pattern.compile("^\\| ([A-Z]\\d+)\\b", Pattern.MULTILINE);
  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);

  @Test
  void whatIsCitedIsThere() {
    Map<String, Path> cited = new TreeMap<>();
    for (Path file : Pages.sources()) {
      COMMENT
          .matcher(Pages.read(file))
          .results()
          .forEach(comment -> cite(cited, file, ID.matcher(comment.group()).results()));
    }
    for (Path page : Pages.all()) {
      cite(cited, page, ID.matcher(Pages.read(page)).results());
    }
    Path map = Pages.page("paper-map.md");
    cite(cited, map, ROW.matcher(Pages.read(map)).results());
    assertTrue(cited.size() > 30, () -> "cited: " + cited.keySet());

    Set<String> rows =
        ROW.matcher(Pages.read(Pages.page("requirements.md")))
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    Map<String, Path> unknown = new TreeMap<>(cited);
    unknown.keySet().removeAll(rows);
    assertEquals(Map.of(), unknown, "cited by the file, but not in docs/requirements.md");
  }

  private static void cite(Map<String, Path> cited, Path file, Stream<MatchResult> found) {
    found.forEach(id -> cited.putIfAbsent(id.group(1), file));
  }
}

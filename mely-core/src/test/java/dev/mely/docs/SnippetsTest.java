package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Each piece of Java in README.md, docs/core.md and docs/permissions.md stands in a test, where it
 * runs.
 */
class SnippetsTest {
  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SPACE = Pattern.compile("\\s+");

  @Test
  void eachSnippetStandsInATest() {
    List<String> tests =
        Pages.sources().stream()
            .filter(file -> file.toString().endsWith("Test.java"))
            .map(file -> dense(Pages.read(file)))
            .toList();
    for (Path page :
        List.of(
            Pages.ROOT.resolve("README.md"), Pages.page("core.md"), Pages.page("permissions.md"))) {
      List<String> snippets =
          SNIPPET.matcher(Pages.read(page)).results().map(found -> found.group(1)).toList();
      assertTrue(snippets.size() > 1, () -> "snippets in " + page + ": " + snippets.size());
      List<String> missing =
          snippets.stream()
              .filter(snippet -> tests.stream().noneMatch(test -> test.contains(dense(snippet))))
              .toList();
      assertEquals(List.of(), missing, () -> "in no test, of " + page);
    }
  }

  /** Without white space: the formatter sets it. */
  private static String dense(String code) {
    return SPACE.matcher(code).replaceAll("");
  }
}

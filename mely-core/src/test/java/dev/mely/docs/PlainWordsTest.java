package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Comments of the main sources and documents say who does what ("the thief", "the producer"). Words
 * that leave it open are allowed where nothing else is natural: less than a dozen times. Documents
 * of the lab are exempt.
 */
class PlainWordsTest {
  private static final int MAX_USES = 11;
  private static final Path MAIN = Path.of("src", "main");

  private static final Pattern VAGUE =
      Pattern.compile(
          "\\b(?:whoever|whosoever|somebody|someone|whichever|regardless)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
  private static final Pattern ALL = Pattern.compile(".+", Pattern.DOTALL);

  @Test
  void commentsAndDocumentsSayWhoDoesWhat() {
    List<Path> pages = Pages.all();
    List<Path> sources =
        Pages.sources().stream().filter(file -> file.toString().contains(MAIN.toString())).toList();
    assertTrue(pages.size() > 10, () -> "pages: " + pages.size());
    assertTrue(sources.size() > 200, () -> "sources: " + sources.size());
    List<String> uses =
        Stream.concat(
                pages.stream().flatMap(page -> uses(page, Pages.read(page), ALL)),
                sources.stream().flatMap(file -> uses(file, Pages.read(file), COMMENT)))
            .toList();
    assertTrue(uses.size() <= MAX_USES, () -> uses.size() + " uses:\n" + String.join("\n", uses));
  }

  /** Proof that the test above can fail. */
  @Test
  void vagueWordsAreFound() {
    Path file = Path.of("Some.java");
    String code = "/**\n * Whoever holds it. */\nint regardless;\nint of; // someone's\n";
    assertEquals(
        List.of("Some.java:2 Whoever", "Some.java:4 someone"), uses(file, code, COMMENT).toList());
    Path page = Path.of("page.md");
    assertEquals(
        List.of("page.md:1 Somebody", "page.md:2 regardless"),
        uses(page, "Somebody goes on\n`regardless`.", ALL).toList());
  }

  /** Each use in a part of the text, with the file and the number of its line. */
  private static Stream<String> uses(Path file, String text, Pattern part) {
    return part.matcher(text)
        .results()
        .flatMap(
            found ->
                VAGUE
                    .matcher(found.group())
                    .results()
                    .map(
                        use ->
                            file
                                + ":"
                                + (1 + newLines(text.substring(0, found.start() + use.start())))
                                + " "
                                + use.group()));
  }

  private static long newLines(String text) {
    return text.chars().filter(c -> c == '\n').count();
  }
}

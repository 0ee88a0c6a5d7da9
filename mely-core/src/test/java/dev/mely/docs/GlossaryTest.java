package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The glossary has an entry for each word of which the names of public types are made. */
class GlossaryTest {
  private static final int MAX_LINES = 110;
  private static final int MAX_WORDS = 1_100;

  /** Words of everyday English, of the JDK and of Netty, and the project's own name. */
  private static final Set<String> EXEMPT =
      Set.of(
          "allocator",
          "bean",
          "builder",
          "call",
          "error",
          "graph",
          "group",
          "initializer",
          "loop",
          "management",
          "mely",
          "metrics",
          "monitor",
          "mx",
          "nio",
          "operation",
          "output",
          "report",
          "shutdown",
          "state",
          "statistics",
          "timer");

  private static final Pattern ROW =
      Pattern.compile("^\\| ([a-z][^|]*) \\| ([^|]+) \\| ([^|]+) \\| `(\\w+)` \\|$");

  private static final Pattern EXPORT = Pattern.compile("^ *exports ([\\w.]+);", Pattern.MULTILINE);

  private static final Pattern PUBLIC_TYPE =
      Pattern.compile(
          "^public (?:\\w+ |non-sealed )*(?:class|interface|enum|record) (\\w+)"
              + "|^public @interface (\\w+)",
          Pattern.MULTILINE);

  private static final Pattern WORD = Pattern.compile("[A-Z]+(?![a-z])|[A-Z][a-z]+");

  private final String page = Pages.read(Pages.page("glossary.md"));
  private final List<Matcher> rows =
      page.lines().map(ROW::matcher).filter(Matcher::matches).toList();

  @Test
  void everyWordOfAPublicNameHasItsEntry() {
    SortedSet<String> names = publicNames();
    assertTrue(names.size() > 25 && names.contains("StealPolicy"), names::toString);
    assertEquals(List.of(), missing(names));
  }

  /** Proof that the test above can fail. */
  @Test
  void aWordWithoutAnEntryIsFound() {
    assertEquals(
        List.of("undertaker of UndertakerPolicy"), missing(Set.of("UndertakerPolicy", "Stages")));
  }

  @Test
  void everyEntryNamesAClass() {
    Set<String> types =
        Pages.sources().stream()
            .map(file -> file.getFileName().toString().replace(".java", ""))
            .collect(Collectors.toSet());
    List<String> wrong =
        rows.stream().map(row -> row.group(4)).filter(type -> !types.contains(type)).toList();
    assertEquals(List.of(), wrong);
  }

  @Test
  void entriesAreInOrderAndShort() {
    List<String> words = rows.stream().map(row -> row.group(1)).toList();
    assertEquals(words.stream().sorted().distinct().toList(), words);
    assertTrue(words.size() >= 30, () -> "entries: " + words.size());
    // The heading of the table, and nothing else that is not an entry.
    assertEquals(2, page.lines().filter(line -> line.startsWith("|")).count() - words.size());
    assertTrue(page.lines().count() <= MAX_LINES, "lines");
    long count = Stream.of(page.split("\\s+")).filter(word -> word.matches(".*\\w.*")).count();
    assertTrue(count <= MAX_WORDS, () -> "words: " + count);
  }

  private List<String> missing(Set<String> names) {
    Set<String> known =
        rows.stream()
            .flatMap(row -> Arrays.stream(row.group(1).split(", ")))
            .collect(Collectors.toSet());
    List<String> missing = new ArrayList<>();
    for (String name : names) {
      Matcher word = WORD.matcher(name);
      while (word.find()) {
        String lower = word.group().toLowerCase(Locale.ROOT);
        if (!EXEMPT.contains(lower) && forms(lower).noneMatch(known::contains)) {
          missing.add(lower + " of " + name);
        }
      }
    }
    return missing;
  }

  /** The word itself, and what it is the plural or the participle of. */
  private static Stream<String> forms(String word) {
    return Stream.of(word, word.replaceFirst("s$", ""), word.replaceFirst("ed$", ""));
  }

  /** The public types of the packages that core and Netty's module export to everyone. */
  private static SortedSet<String> publicNames() {
    SortedSet<String> names = new TreeSet<>();
    for (String module : List.of("mely-core", "mely-netty")) {
      Path sources = Pages.ROOT.resolve(module).resolve("src/main/java");
      Matcher export = EXPORT.matcher(Pages.read(sources.resolve("module-info.java")));
      while (export.find()) {
        Path folder = sources.resolve(export.group(1).replace('.', '/'));
        Pages.sources().stream()
            .filter(file -> file.getParent().equals(folder) && Files.exists(file))
            .map(file -> PUBLIC_TYPE.matcher(Pages.read(file)))
            .filter(Matcher::find)
            .map(type -> type.group(1) == null ? type.group(2) : type.group(1))
            .forEach(names::add);
      }
    }
    return names;
  }
}

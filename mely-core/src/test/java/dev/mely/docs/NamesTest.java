package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pages that speak of the code name classes, fields and methods that there are. What is looked up
 * is whatever stands in backticks and looks like {@code Type} or {@code Type.member}, with the
 * packages in front of it or without. A type of the JDK, of Netty or of another library need not be
 * declared here: it must be imported, or named in full, by some file of the project.
 */
class NamesTest {
  private static final Pattern FENCED =
      Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern QUOTED = Pattern.compile("`([^`\n]+)`");
  private static final Pattern CODE = Pattern.compile("\\{@code\\s+([^}]+?)\\s*}");

  /** Type, or Type.member, or Type.Nested.member; arguments do not matter. */
  private static final Pattern NAME =
      Pattern.compile("(?:[a-z]\\w*\\.)*([A-Z]\\w*)((?:\\.\\w+)*)(?:\\(.*\\))?");

  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
  private static final String TYPE_WORD = "\\b(?:class|interface|enum|record)\\s+";
  private static final Pattern TYPE = Pattern.compile(TYPE_WORD + "([A-Z]\\w*)");
  private static final Pattern IMPORT =
      Pattern.compile("\\bimport\\s+(?:static\\s+)?([\\w.]+)\\s*;");

  /** Words before a name that make no declaration of it. */
  private static final String NO_TYPE = "(?!(?:return|throw|else|new|case|assert|instanceof)\\b)";

  private static final Map<String, List<String>> TYPES = new HashMap<>();
  private static final Set<String> IMPORTED = new HashSet<>();

  static {
    for (Path file : Pages.sources()) {
      String code = COMMENT.matcher(Pages.read(file)).replaceAll(" ");
      TYPE.matcher(code)
          .results()
          .forEach(type -> TYPES.computeIfAbsent(type.group(1), t -> new ArrayList<>()).add(code));
      IMPORT
          .matcher(code)
          .results()
          .flatMap(name -> Arrays.stream(name.group(1).split("\\.")))
          .forEach(IMPORTED::add);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"core.md", "internals.md", "paper-map.md", "synchronization.md"})
  void whatIsNamedIsThere(String page) {
    check(page, QUOTED.matcher(FENCED.matcher(Pages.read(Pages.page(page))).replaceAll("")));
  }

  /** The test kit is described where it lies. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "mely-core/src/test/java/dev/mely",
        "mely-netty/src/test/java/dev/mely/netty",
        "mely-examples/src/test/java/dev/mely/examples"
      })
  void eachHelperThatIsNamedIsThere(String folder) {
    Path description = Pages.ROOT.resolve(folder).resolve("package-info.java");
    check(folder, CODE.matcher(Pages.read(description).replaceAll("\n \\* +", " ")));
  }

  private static void check(String page, Matcher quoted) {
    List<String> missing = new ArrayList<>();
    int names = 0;
    while (quoted.find()) {
      Matcher name = NAME.matcher(quoted.group(1));
      if (!name.matches() || isWord(name.group(1))) {
        continue;
      }
      names++;
      if (!isThere(name.group(1), name.group(2))) {
        missing.add(quoted.group(1));
      }
    }
    assertEquals(List.of(), missing, () -> "named by " + page);
    int found = names;
    assertTrue(found > 10, () -> "names in " + page + ": " + found);
  }

  /** A row that names no test, or one that is not there, is a promise that nobody keeps. */
  @Test
  void everyCallbackRowNamesItsTest() {
    List<String> rows =
        Pages.read(Pages.page("internals.md"))
            .lines()
            .dropWhile(line -> !line.startsWith("## What a callback's failure does"))
            .skip(1)
            .takeWhile(line -> !line.startsWith("## "))
            .filter(line -> line.startsWith("| ") && !line.startsWith("| Callback"))
            .toList();
    assertTrue(rows.size() > 20, () -> "rows: " + rows.size());
    for (String row : rows) {
      String[] cells = row.split("\\|");
      List<String> tests =
          QUOTED.matcher(cells[cells.length - 1]).results().map(name -> name.group(1)).toList();
      assertFalse(tests.isEmpty(), row);
      for (String test : tests) {
        String[] parts = test.split("\\.");
        assertTrue(parts.length == 2 && parts[0].endsWith("Test"), () -> test + " in: " + row);
        assertTrue(
            TYPES.getOrDefault(parts[0], List.of()).stream()
                .anyMatch(code -> isIn(code, "\\bvoid\\s+" + parts[1] + "\\(")),
            () -> "no test " + test + ": " + row);
      }
    }
  }

  /** A constant or an operation of a model (IDLE, RUN, BASE) is no type. */
  private static boolean isWord(String name) {
    return name.equals(name.toUpperCase(Locale.ROOT));
  }

  private static boolean isThere(String type, String members) {
    List<String> declarations = TYPES.get(type);
    if (declarations == null) {
      return IMPORTED.contains(type) || isOfJavaLang(type);
    }
    if (members.isEmpty()) {
      return true;
    }
    String member = members.substring(members.lastIndexOf('.') + 1);
    return declarations.stream().anyMatch(code -> declares(code, member));
  }

  private static boolean isOfJavaLang(String type) {
    try {
      Class.forName("java.lang." + type);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** As a field or a method, that is behind its type; as a constant of an enum; as a type. */
  private static boolean declares(String code, String member) {
    String type = "(?<![.\\w-])" + NO_TYPE + "[\\w.]*[\\w>\\]?]\\s+";
    String end = code.contains("record ") ? "\\s*[=;,()]" : "\\s*[=;(]"; // a parameter is no field
    return isIn(code, type + member + end)
        || isWord(member) && isIn(code, "[{,]\\s*" + member + "\\s*[,;({}]")
        || isIn(code, TYPE_WORD + member + "\\b");
  }

  private static boolean isIn(String code, String pattern) {
    return Pattern.compile(pattern).matcher(code).find();
  }
}

package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Each piece of Java in docs stands in a test of some module, where it is compiled and runs, and a
 * page shows the imports that it takes: that of a type with the first piece that uses the type.
 * README.md is one program, which a test of mely-netty compiles as it stands.
 */
class SnippetsTest {
  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern IMPORT =
      Pattern.compile("^import (static )?([\\w.]+)\\.(\\w+);\n", Pattern.MULTILINE);
  private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
  private static final Pattern NOT_CODE = Pattern.compile("//[^\n]*|\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern NAME = Pattern.compile("(?<![.\\w])[A-Za-z_]\\w*");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  private final List<Path> sources = Pages.sources();
  private final Map<Path, String> tests = new HashMap<>();

  @Test
  void eachSnippetStandsInATestAndShowsItsImports() {
    for (Path file : sources) {
      if (file.toString().endsWith("Test.java")) {
        tests.put(file, dense(Pages.read(file)));
      }
    }
    List<String> wrong = new ArrayList<>();
    int snippets = 0;
    for (Path page : Pages.all()) {
      Set<String> shown = new HashSet<>();
      for (MatchResult found : SNIPPET.matcher(Pages.read(page)).results().toList()) {
        snippets++;
        if (!page.endsWith("README.md")) {
          check(page, found.group(1), shown, wrong);
        }
      }
    }
    assertEquals(List.of(), wrong);
    int found = snippets;
    assertTrue(found > 40, () -> "snippets: " + found);
  }

  private void check(Path page, String snippet, Set<String> shown, List<String> wrong) {
    String code = IMPORT.matcher(snippet).replaceAll("");
    String where = page.getFileName() + ": ";
    List<Path> hosts =
        tests.keySet().stream().filter(test -> tests.get(test).contains(dense(code))).toList();
    if (hosts.isEmpty()) {
      wrong.add(where + "in no test: " + code);
      return;
    }
    Set<String> names =
        NAME.matcher(NOT_CODE.matcher(code).replaceAll(" "))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toSet());
    List<Map<String, String>> visible = hosts.stream().map(this::visible).toList();
    Matcher imports = IMPORT.matcher(snippet);
    while (imports.find()) {
      String line = imports.group().strip();
      if (!shown.add(line)) {
        wrong.add(where + "shown twice: " + line);
      } else if (!names.contains(imports.group(3))) {
        wrong.add(where + "for nothing: " + line);
      } else if (visible.stream().noneMatch(lines -> lines.containsValue(line))) {
        wrong.add(where + "not so in the test: " + line);
      }
    }
    if (visible.stream().noneMatch(lines -> isShown(names, lines, shown))) {
      Map<String, String> lines = new HashMap<>(visible.get(0));
      lines.keySet().retainAll(names);
      lines.values().removeAll(shown);
      wrong.add(where + "not shown: " + lines.values() + " for " + code);
    }
  }

  private static boolean isShown(Set<String> names, Map<String, String> lines, Set<String> shown) {
    return lines.keySet().stream()
        .filter(names::contains)
        .allMatch(name -> shown.contains(lines.get(name)));
  }

  /**
   * What a test sees of others' types and constants, and the import that says so: what it imports,
   * and the public types of its package, which a program elsewhere has to import.
   */
  private Map<String, String> visible(Path test) {
    String text = Pages.read(test);
    Map<String, String> imports = new HashMap<>();
    IMPORT
        .matcher(text)
        .results()
        .forEach(line -> imports.put(line.group(3), line.group().strip()));
    Matcher name = PACKAGE.matcher(text);
    assertTrue(name.find(), test::toString);
    Path module = Pages.ROOT.resolve(test.getName(1));
    Path folder = module.resolve("src/main/java").resolve(name.group(1).replace('.', '/'));
    for (Path file : sources) {
      String type = file.getFileName().toString().replace(".java", "");
      if (folder.equals(file.getParent()) && Files.exists(file)) {
        imports.put(type, "import " + name.group(1) + "." + type + ";");
      }
    }
    return imports;
  }

  /** Without white space: the formatter sets it. */
  private static String dense(String code) {
    return SPACE.matcher(code).replaceAll("");
  }
}

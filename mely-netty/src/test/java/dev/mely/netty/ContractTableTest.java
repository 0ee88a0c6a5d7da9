package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The contract in {@code docs/netty.md}: each row names tests, and they are there. */
class ContractTableTest {
  private static final Pattern NAME = Pattern.compile("`(?:([A-Z]\\w+))?\\.?([a-z]\\w+)?`");

  @Test
  void eachRowNamesTestsThatExist() throws Exception {
    String guide = Files.readString(Path.of("../docs/netty.md"));
    int start = guide.indexOf("\n## The contract of an event loop\n");
    String section = guide.substring(start, guide.indexOf("\n## ", start + 1));
    List<String> missing = new ArrayList<>();
    int rows = 0;
    String above = "";
    for (String line : section.lines().toList()) {
      if (!line.startsWith("| ") || line.startsWith("| |")) {
        continue;
      }
      rows++;
      String[] cells = line.split("\\|");
      String tests = cells[4].strip().equals("the same") ? above : cells[4];
      above = tests;
      int named = 0;
      String type = "";
      for (Matcher name = NAME.matcher(tests); name.find(); named++) {
        type = name.group(1) == null ? type : name.group(1);
        if (!exists(type, name.group(2))) {
          missing.add(type + "." + name.group(2));
        }
      }
      if (named == 0) {
        missing.add("a test of" + cells[1]);
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(rows > 40, "rows: " + rows);
  }

  private static boolean exists(String type, String method) {
    try {
      Class<?> test = Class.forName("dev.mely.netty." + type);
      return method == null
          || Arrays.stream(test.getDeclaredMethods()).anyMatch(m -> m.getName().equals(method));
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}

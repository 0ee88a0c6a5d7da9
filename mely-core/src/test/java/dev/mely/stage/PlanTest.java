package dev.mely.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.stage.Plan.Instances;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
  private static Plan two() {
    Map<String, Instances> objects = new LinkedHashMap<>();
    objects.put("request", new Instances(64, 2048, Set.of("Parse"), Set.of("Write")));
    objects.put("a \"page\"\n\u00e9", new Instances(3, 5, Set.of("Parse", "Look")));
    return Plan.of(objects);
  }

  @Test
  void saysWhatAStageAllocatesAndWhatAllTakes() {
    Plan plan = two();
    assertEquals(64 * 2048 + 3 * 5, plan.bytes());
    assertEquals(plan.objects().keySet(), plan.allocatedBy("Parse"));
    assertEquals(Set.of("a \"page\"\n\u00e9"), plan.allocatedBy("Look"));
    assertEquals(Set.of(), plan.allocatedBy("another"));
    assertEquals(Set.of("request"), plan.freedBy("Write"));
    assertEquals(Set.of(), plan.freedBy("Parse"));
    assertTrue(plan.knows("Write") && plan.knows("Look") && !plan.knows("another"));
  }

  @Test
  void isReadAsItWasWritten() {
    assertEquals(two(), Plan.parse(two().json()));
    assertEquals(Plan.of(Map.of()), Plan.parse("{\"objects\": []}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|expected a JSON object",
        "{}|there is no objects",
        "{\"objects\": [1]}|objects must be a list of objects, but is 1",
        "{\"objects\": [{\"name\": 1}]}|objects[0].name must be a text, but is 1",
        "{\"objects\": [{\"name\": \"a\"}]}|there is no objects[0].count",
        "{\"objects\": [{\"name\": \"a\", \"count\": 3000000000}]}|but is 3000000000",
        "{\"objects\": [{\"name\": \"a\", \"count\": 0, \"bytes\": 1, \"stages\": []}]}|"
            + "objects[0].count must be 1 or more, but is 0",
      })
  void namesWhatIsWrong(String json, String message) {
    String said = assertThrows(IllegalArgumentException.class, () -> Plan.parse(json)).getMessage();
    assertTrue(said.contains(message), said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{\"objects\"",
        "{\"objects\": [}",
        "{\"objects\": []} x",
        "{\"objects\": [], \"objects\": []}",
        "{\"objects\": \"a\nb\"}",
        "{\"objects\": \"\\x\"}",
        "{\"objects\": \"\\u12\"}",
        "{\"objects\": 01}",
        "{\"objects\": 99999999999999999999}",
        "{\"objects\": null}"
      })
  void saysWhereTheTextIsNoJson(String json) {
    String said = assertThrows(IllegalArgumentException.class, () -> Plan.parse(json)).getMessage();
    assertTrue(said.matches("(?s)line \\d+, column \\d+: expected .*"), said);
  }

  @Test
  void refusesAnAbyss() {
    String deep = "[".repeat(100_000);
    assertThrows(IllegalArgumentException.class, () -> Plan.parse(deep));
  }
}

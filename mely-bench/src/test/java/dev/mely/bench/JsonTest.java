package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void writesNestedValues() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a \"quoted\"\n\\ line");
    map.put("numbers", List.of(1, 2.5, Double.NaN));
    map.put("none", null);
    map.put("empty", List.of());
    map.put("inner", Map.of("yes", true));
    assertEquals(
        """
        {
          "text": "a \\"quoted\\"\\u000a\\\\ line",
          "numbers": [1, 2.5, null],
          "none": null,
          "empty": [],
          "inner": {
            "yes": true
          }
        }""",
        Json.write(map));
  }

  @Test
  void refusesWhatJsonDoesNotKnow() {
    List<Object> list = new ArrayList<>();
    list.add(new Object());
    assertThrows(IllegalArgumentException.class, () -> Json.write(list));
  }
}

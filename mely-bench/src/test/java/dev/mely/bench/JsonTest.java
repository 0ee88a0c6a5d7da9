package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void writesNestedValues() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a \"quoted\"\n\\ line <&>");
    map.put("numbers", List.of(1, 2.5, Double.NaN));
    map.put("none", null);
    map.put("empty", List.of());
    map.put("inner", Map.of("yes", true));
    assertEquals(
        """
        {
          "text": "a \\"quoted\\"\\n\\\\ line <&>",
          "numbers": [
            1,
            2.5,
            null
          ],
          "none": null,
          "empty": [],
          "inner": {
            "yes": true
          }
        }""",
        Json.write(map));
  }

  /** Files of earlier versions had their lists, and escapes of control characters, like this. */
  @Test
  void readsWhatEarlierVersionsHaveWritten() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a\nb");
    map.put("numbers", Arrays.asList(1.0, 2.5, null));
    map.put("samples", List.of(Map.of("x", 3.0), Map.of("x", 4.0)));
    assertEquals(
        map,
        Json.read(
            """
            {
              "text": "a\\u000ab",
              "numbers": [1, 2.5, null],
              "samples": [{
                "x": 3.0
              }, {
                "x": 4.0
              }]
            }"""));
  }

  @Test
  void saysWhereATextIsNoJson() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Json.read("{\n  \"a\": ]"));
    assertTrue(String.valueOf(e.getMessage()).contains("line 2 column"), e::getMessage);
  }
}

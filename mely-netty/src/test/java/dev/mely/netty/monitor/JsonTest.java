package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void putsAnObjectTogether() {
    Json json =
        new Json()
            .put("name", "a")
            .put("none", (String) null)
            .put("count", 7)
            .put("share", 0.25)
            .put("unknown", (Double) null)
            .put("broken", Double.NaN)
            .put("inner", new Json().put("x", 1))
            .put("list", List.of(1, 2), n -> new Json().put("n", n))
            .putStrings("texts", List.of("b", "c"));
    assertEquals(
        "{\"name\":\"a\",\"none\":null,\"count\":7,\"share\":0.250,\"unknown\":null,\"broken\":null,"
            + "\"inner\":{\"x\":1},\"list\":[{\"n\":1},{\"n\":2}],\"texts\":[\"b\",\"c\"]}",
        json.toString());
    assertEquals("{}", new Json().toString());
  }

  /** Of every character that a client may have put into a name; and in ASCII, in one line. */
  @Test
  void anyTextComesBackAsItWas() {
    StringBuilder all = new StringBuilder();
    for (int c = 0; c <= Character.MAX_VALUE; c++) {
      all.append((char) c);
    }
    String text = new Json().put("text", all.toString()).putStrings(all + "", List.of()).toString();
    JsonObject parsed = JsonParser.parseString(text).getAsJsonObject();
    assertEquals(all.toString(), parsed.get("text").getAsString());
    assertEquals(2, parsed.size());
    assertEquals(0, text.chars().filter(c -> c < ' ' || c > '~').count());
    assertEquals(-1, text.indexOf("</script"));
  }
}

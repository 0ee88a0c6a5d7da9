package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page may set, and what it is told if it may not. */
class SettingsTest {
  private static final int CORES = 4;
  private static final String GOOD =
      "{\"busy\":25,\"uneven\":100,\"work\":500,\"cores\":2,\"block\":0,\"streams\":0,"
          + "\"paused\":false}";

  private static String wrong(String json) {
    return String.valueOf(
        assertThrows(IllegalArgumentException.class, () -> Settings.parse(json, CORES), json)
            .getMessage());
  }

  @Test
  void allFieldsAreRead() {
    String json =
        "{\"busy\":1,\"uneven\":2,\"work\":30,\"cores\":4,\"block\":5,\"streams\":6,"
            + "\"paused\":true}";
    assertEquals(new Settings(1, 2, 30, 4, 5, 6, true), Settings.parse(json, CORES));
    assertEquals(Settings.first(2), Settings.parse(GOOD, CORES));
  }

  @ParameterizedTest
  @CsvSource({
    "busy,0,100",
    "uneven,0,100",
    "work,10,10000",
    "cores,1,4",
    "block,0,1000",
    "streams,0,200"
  })
  void numbersHaveBounds(String field, int least, int most) {
    Settings.parse(with(field, Integer.toString(least)), CORES);
    Settings.parse(with(field, Integer.toString(most)), CORES);
    for (int value : new int[] {least - 1, most + 1}) {
      String message = wrong(with(field, Integer.toString(value)));
      assertEquals(
          field + " must be a whole number from " + least + " to " + most + ", but is " + value,
          message);
    }
  }

  private static String with(String field, String value) {
    return GOOD.replaceFirst("\"" + field + "\":[^,}]*", "\"" + field + "\":" + value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.5",
        "1e2",
        "1e999999999",
        "-0.0",
        "99999999999999999999",
        "\"25\"",
        "true",
        "null",
        "[]",
        "{}",
        "[25]"
      })
  void otherThanWholeNumbersAreNamed(String value) {
    String message = wrong(with("busy", value));
    assertTrue(message.startsWith("busy must be "), message);
    assertTrue(message.endsWith(" but is " + value), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"false\"", "null", "[]"})
  void otherThanTruthsAreNamed(String value) {
    String message = wrong(with("paused", value));
    assertTrue(message.startsWith("paused must be "), message);
    assertTrue(message.endsWith(" but is " + value), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"busy", "uneven", "work", "cores", "block", "streams", "paused"})
  void noneMayBeMissing(String field) {
    String less = GOOD.replaceFirst("\"" + field + "\":[^,}]*,?", "").replace(",}", "}");
    assertEquals(field + " is missing", wrong(less));
  }

  @Test
  void unknownOnesAreNamed() {
    assertEquals("there is no setting speed", wrong(GOOD.replace("{", "{\"speed\":1,")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "null",
        "[]",
        "25",
        "\"busy\"",
        "{",
        "{\"busy\":25",
        "{busy:25}",
        "{'busy':25}",
        "{\"busy\":NaN}",
        "{\"busy\":25}}",
        "{\"busy\":1,\"busy\":2}",
        "{}{}",
        "{\"busy\":25}//",
        "\u0000"
      })
  void whatIsNoObjectIsRefused(String json) {
    assertTrue(!wrong(json).isEmpty());
  }

  /** A wrong value is not repeated at length, and no depth is too much for the reader. */
  @Test
  void largeValuesAreCutShort() {
    assertTrue(wrong(with("busy", "\"" + "x".repeat(4_000) + "\"")).length() < 200);
    assertTrue(wrong("[".repeat(100_000)).length() < 200);
    assertTrue(wrong(with("busy", "[".repeat(2_000) + "]".repeat(2_000))).length() < 200);
    assertTrue(wrong("{\"" + "y".repeat(4_000) + "\":1}").length() < 200);
  }
}

package dev.mely.examples.demo;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a page can set. Immutable.
 *
 * @param busy percent of the connections that are busy: one request after the other
 * @param uneven percent of the busy ones that are on one event loop, as far as they fit; the others
 *     are spread evenly
 * @param work CPU time of a busy request, in microseconds
 * @param cores event loops of each server
 * @param block for how many milliseconds the handler of one further connection sleeps in each
 *     request; 0: there is no such connection
 * @param streams 0: connections as above; else instead of them one HTTP/2 connection with as many
 *     busy streams
 * @param paused whether there is no load
 */
record Settings(int busy, int uneven, int work, int cores, int block, int streams, boolean paused) {
  private static final int LEAST_WORK = 10;

  /** What is shown of a wrong value. */
  private static final int LONGEST_SHOWN = 40;

  private static final Set<String> NAMES =
      Set.of("busy", "uneven", "work", "cores", "block", "streams", "paused");

  /** A quarter of the connections is busy, on one event loop. */
  static Settings first(int cores) {
    return new Settings(25, 100, 500, cores, 0, 0, false);
  }

  /**
   * Reads what a page sends.
   *
   * @param json an object with all fields
   * @param mostCores that can be set
   * @throws IllegalArgumentException if it is none, or a field is wrong: its message names it
   */
  static Settings parse(String json, int mostCores) {
    JsonObject fields = read(json);
    for (String name : fields.keySet()) {
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException("there is no setting " + shown(name));
      }
    }
    return new Settings(
        number(fields, "busy", 0, 100),
        number(fields, "uneven", 0, 100),
        number(fields, "work", LEAST_WORK, 10_000),
        number(fields, "cores", 1, mostCores),
        number(fields, "block", 0, 1_000),
        number(fields, "streams", 0, 200),
        flag(fields, "paused"));
  }

  /** As many requests as can be, so that the servers' code is soon compiled. */
  static Settings warmUp(int cores, int streams) {
    return new Settings(100, 0, LEAST_WORK, cores, 0, streams, false);
  }

  Settings withPaused(boolean now) {
    return new Settings(busy, uneven, work, cores, block, streams, now);
  }

  private static JsonObject read(String json) {
    JsonReader reader = new JsonReader(new StringReader(json));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement all = JsonParser.parseReader(reader);
      if (all.isJsonObject() && reader.peek() == JsonToken.END_DOCUMENT) {
        return all.getAsJsonObject();
      }
    } catch (JsonParseException | IOException e) {
      throw new IllegalArgumentException("the settings are no JSON: " + shown(json), e);
    }
    throw new IllegalArgumentException("the settings must be one object, but are " + shown(json));
  }

  private static int number(JsonObject fields, String name, int least, int most) {
    JsonPrimitive value = value(fields, name);
    String text = value.getAsString();
    if (value.isNumber() && text.matches("-?\\d{1,9}")) {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw new IllegalArgumentException(
        name
            + " must be a whole number from "
            + least
            + " to "
            + most
            + ", but is "
            + shown(value.toString()));
  }

  private static boolean flag(JsonObject fields, String name) {
    JsonPrimitive value = value(fields, name);
    if (!value.isBoolean()) {
      throw new IllegalArgumentException(
          name + " must be true or false, but is " + shown(value.toString()));
    }
    return value.getAsBoolean();
  }

  private static JsonPrimitive value(JsonObject fields, String name) {
    @Nullable JsonElement value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    if (!value.isJsonPrimitive()) {
      throw new IllegalArgumentException(
          name + " must be one value, but is " + shown(value.toString()));
    }
    return value.getAsJsonPrimitive();
  }

  private static String shown(String text) {
    return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "...";
  }
}

package dev.mely.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import org.jspecify.annotations.Nullable;

/** Writes and reads maps, lists, texts, numbers and truth values as JSON. */
public final class Json {
  /** JSON has no word for what is not a number. */
  private static final JsonSerializer<Double> FINITE =
      (value, type, context) ->
          Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;

  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .serializeNulls()
          .disableHtmlEscaping()
          .registerTypeAdapter(Double.class, FINITE)
          .create();

  private Json() {}

  /**
   * Writes a value.
   *
   * @param value a map with texts as keys, a list, a text, a number, a truth value, or null
   * @return the JSON text, indented, without a line feed at the end
   */
  public static String write(@Nullable Object value) {
    return GSON.toJson(value);
  }

  /**
   * Reads a value.
   *
   * @param text what {@link #write} has written, or other JSON
   * @return a map, a list, a text, a double, a truth value, or null
   * @throws IllegalArgumentException if it is not JSON, saying where
   */
  public static @Nullable Object read(String text) {
    try {
      return GSON.fromJson(text, Object.class);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("not JSON: " + e.getMessage(), e);
    }
  }
}

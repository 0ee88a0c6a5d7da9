package dev.mely.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes and reads maps, lists, strings, numbers and booleans as JSON. */
public final class Json {
  /** Writes NaN as null: JSON has no NaN. */
  private static final TypeAdapter<Double> FIGURE =
      new TypeAdapter<>() {
        @Override
        public void write(JsonWriter out, @Nullable Double value) throws IOException {
          out.value(value != null && Double.isFinite(value) ? value : null);
        }

        @Override
        public Double read(JsonReader in) throws IOException {
          if (in.peek() == JsonToken.NULL) {
            in.nextNull();
            return Double.NaN;
          }
          return in.nextDouble();
        }
      };

  private static final Gson LINE =
      new GsonBuilder()
          .serializeNulls()
          .disableHtmlEscaping()
          .registerTypeAdapter(Double.class, FIGURE)
          .create();

  private static final Gson TEXT = LINE.newBuilder().setPrettyPrinting().create();

  private Json() {}

  /**
   * Writes a value.
   *
   * @param value a map with strings as keys, a list, a string, a number, a boolean, or null
   * @return the JSON text, indented, without a line feed at the end
   */
  public static String write(@Nullable Object value) {
    return TEXT.toJson(value);
  }

  /** Writes a value, or a record of values, in one line. */
  public static String line(Object value) {
    return LINE.toJson(value);
  }

  /**
   * Reads a value.
   *
   * @param text JSON
   * @return a map, a list, a string, a double, a boolean, or null
   * @throws IllegalArgumentException if it is not JSON; the message names the place
   */
  public static @Nullable Object read(String text) {
    return read(text, Object.class);
  }

  /**
   * Reads a record, in which null stands for a NaN.
   *
   * @return null for the JSON value null
   * @throws IllegalArgumentException if it is something else; the message names the place
   */
  public static <T> @Nullable T read(String text, Class<T> type) {
    try {
      return LINE.fromJson(text, type);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("not JSON, or of something else: " + e.getMessage(), e);
    }
  }
}

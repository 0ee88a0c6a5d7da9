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

/** Writes and reads maps, lists, texts, numbers and truth values as JSON. */
public final class Json {
  /** JSON has no word for what is not a number. */
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
   * @param value a map with texts as keys, a list, a text, a number, a truth value, or null
   * @return the JSON text, indented, without a line feed at the end
   */
  public static String write(@Nullable Object value) {
    return TEXT.toJson(value);
  }

  /** Writes a value, or a record of such, in one line. */
  public static String line(Object value) {
    return LINE.toJson(value);
  }

  /**
   * Reads a value.
   *
   * @param text what {@link #write} has written, or other JSON
   * @return a map, a list, a text, a double, a truth value, or null
   * @throws IllegalArgumentException if it is not JSON, saying where
   */
  public static @Nullable Object read(String text) {
    return read(text, Object.class);
  }

  /**
   * Reads a record, whose figures may be null: not a number.
   *
   * @return null where the text says so
   * @throws IllegalArgumentException if it is something else, saying where
   */
  public static <T> @Nullable T read(String text, Class<T> type) {
    try {
      return LINE.fromJson(text, type);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("not JSON, or of something else: " + e.getMessage(), e);
    }
  }
}

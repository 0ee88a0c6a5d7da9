package dev.mely.bench;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes and reads maps, lists, texts, numbers and truth values as JSON. */
public final class Json {
  private Json() {}

  /**
   * Writes a value.
   *
   * @param value a map with texts as keys, a list, a text, a number, a truth value, or null
   * @return the JSON text, indented, without a line feed at the end
   * @throws IllegalArgumentException if the value, or one inside it, is of another class
   */
  public static String write(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    append(text, value, "");
    return text.toString();
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
      return new Gson().fromJson(text, Object.class);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("not JSON: " + e.getMessage(), e);
    }
  }

  private static void append(StringBuilder text, @Nullable Object value, String indent) {
    if (value == null) {
      text.append("null");
    } else if (value instanceof Map<?, ?> map) {
      appendMap(text, map, indent);
    } else if (value instanceof List<?> list) {
      appendList(text, list, indent);
    } else if (value instanceof Double d && !Double.isFinite(d)) {
      text.append("null");
    } else if (value instanceof Number || value instanceof Boolean) {
      text.append(value);
    } else if (value instanceof String s) {
      appendText(text, s);
    } else {
      throw new IllegalArgumentException("no JSON for a " + value.getClass().getName());
    }
  }

  private static void appendMap(StringBuilder text, Map<?, ?> map, String indent) {
    String gap = "{\n";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      text.append(gap).append(indent).append("  ");
      appendText(text, String.valueOf(entry.getKey()));
      text.append(": ");
      append(text, entry.getValue(), indent + "  ");
      gap = ",\n";
    }
    text.append(map.isEmpty() ? "{}" : "\n" + indent + "}");
  }

  private static void appendList(StringBuilder text, List<?> list, String indent) {
    String gap = "[";
    for (Object item : list) {
      text.append(gap);
      append(text, item, indent);
      gap = ", ";
    }
    text.append(list.isEmpty() ? "[]" : "]");
  }

  private static void appendText(StringBuilder text, String s) {
    text.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append("\\u00").append(Character.forDigit(c >> 4, 16));
        text.append(Character.forDigit(c & 15, 16));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}

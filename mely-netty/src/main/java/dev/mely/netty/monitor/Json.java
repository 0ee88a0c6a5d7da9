package dev.mely.netty.monitor;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An object in JSON (RFC 8259), as it is put together. Not thread-safe. */
final class Json {
  private static final int FIRST_PRINTABLE = 0x20;

  private final StringBuilder text = new StringBuilder("{");

  Json put(String name, @Nullable String value) {
    key(name);
    if (value == null) {
      text.append("null");
    } else {
      quote(value);
    }
    return this;
  }

  Json put(String name, long value) {
    key(name).append(value);
    return this;
  }

  /**
   * Adds a number, with three digits behind the point.
   *
   * @param value null, and what is no number: written as null
   */
  Json put(String name, @Nullable Double value) {
    boolean known = value != null && Double.isFinite(value);
    key(name).append(known ? String.format(Locale.ROOT, "%.3f", value) : "null");
    return this;
  }

  Json put(String name, Json value) {
    key(name).append(value);
    return this;
  }

  <T> Json put(String name, List<T> values, Function<T, Json> each) {
    key(name).append('[');
    for (int i = 0; i < values.size(); i++) {
      text.append(i == 0 ? "" : ",").append(each.apply(values.get(i)));
    }
    text.append(']');
    return this;
  }

  Json putStrings(String name, List<String> values) {
    key(name).append('[');
    for (int i = 0; i < values.size(); i++) {
      text.append(i == 0 ? "" : ",");
      quote(values.get(i));
    }
    text.append(']');
    return this;
  }

  private StringBuilder key(String name) {
    text.append(text.length() == 1 ? "" : ",");
    quote(name);
    return text.append(':');
  }

  /** In one line, since an event of a stream ends with its line; and nothing ends a script. */
  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < FIRST_PRINTABLE || c > '~' || c == '<' || c == '>' || c == '&') {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }

  @Override
  public String toString() {
    return text + "}";
  }
}

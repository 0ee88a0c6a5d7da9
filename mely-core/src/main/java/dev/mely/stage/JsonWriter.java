package dev.mely.stage;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes maps, lists, texts, numbers and truth values as JSON, to be read by people too. */
final class JsonWriter {
  private final StringBuilder out = new StringBuilder();

  private JsonWriter() {}

  static String write(Map<String, ?> object) {
    JsonWriter writer = new JsonWriter();
    writer.object(object, "");
    return writer.out.append('\n').toString();
  }

  private void value(Object value, String indent) {
    if (value instanceof Map<?, ?> map) {
      object(map, indent);
    } else if (value instanceof List<?> list) {
      list(list, indent);
    } else if (value instanceof String text) {
      text(text);
    } else {
      out.append(value);
    }
  }

  private void object(Map<?, ?> map, String indent) {
    boolean flat = map.values().stream().noneMatch(JsonWriter::isDeep);
    String inner = flat ? "" : "\n" + indent + "  ";
    out.append('{');
    for (Iterator<? extends Map.Entry<?, ?>> i = map.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<?, ?> entry = i.next();
      out.append(inner);
      text(String.valueOf(entry.getKey()));
      out.append(": ");
      value(entry.getValue(), indent + "  ");
      out.append(i.hasNext() ? flat ? ", " : "," : "");
    }
    out.append(flat ? "" : "\n" + indent).append('}');
  }

  private void list(List<?> list, String indent) {
    boolean flat = !isDeep(list);
    String inner = flat ? "" : "\n" + indent + "  ";
    out.append('[');
    for (Iterator<?> i = list.iterator(); i.hasNext(); ) {
      out.append(inner);
      value(i.next(), indent + "  ");
      out.append(i.hasNext() ? flat ? ", " : "," : "");
    }
    out.append(flat ? "" : "\n" + indent).append(']');
  }

  /** Whether it takes several lines. */
  private static boolean isDeep(Object value) {
    return value instanceof Map
        || (value instanceof List<?> list
            && list.stream().anyMatch(e -> e instanceof Map || e instanceof List));
  }

  private void text(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}

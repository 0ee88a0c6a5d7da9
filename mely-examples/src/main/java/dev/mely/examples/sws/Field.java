package dev.mely.examples.sws;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The header fields of a request that this server looks at. */
enum Field {
  CONNECTION,
  CONTENT_LENGTH,
  EXPECT,
  HOST,
  IF_MATCH,
  IF_MODIFIED_SINCE,
  IF_NONE_MATCH,
  IF_RANGE,
  IF_UNMODIFIED_SINCE,
  RANGE,
  TRANSFER_ENCODING;

  private static final Map<String, Field> BY_NAME = new HashMap<>();

  static {
    for (Field field : values()) {
      BY_NAME.put(field.toString(), field);
    }
  }

  private final String name = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** The field of a name, in lower case; null: another one. */
  static @Nullable Field of(String name) {
    return BY_NAME.get(name);
  }

  /** The name in lower case. */
  @Override
  public String toString() {
    return name;
  }
}

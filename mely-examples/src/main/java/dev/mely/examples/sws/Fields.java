package dev.mely.examples.sws;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The header fields of one request. */
interface Fields {
  /** The value of a field, of its first line if it has several; null: it is not there. */
  @Nullable String get(Field field);

  /** The values of all lines of a field, in order. */
  List<String> getAll(Field field);

  /** Whether one of a field's comma-separated values is this, in upper or lower case. */
  boolean hasToken(Field field, String token);

  /** Whether each of a field's comma-separated values is this, in upper or lower case. */
  default boolean hasOnly(Field field, String token) {
    for (String line : getAll(field)) {
      for (String value : line.split(",", -1)) {
        if (!value.strip().equalsIgnoreCase(token)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether there is such a field. */
  default boolean contains(Field field) {
    return get(field) != null;
  }

  /** Fields that are collected one by one. */
  final class Collected implements Fields {
    private final Map<Field, List<String>> values = new EnumMap<>(Field.class);

    void add(Field field, String value) {
      values.computeIfAbsent(field, f -> new ArrayList<>(1)).add(value);
    }

    @Override
    public @Nullable String get(Field field) {
      List<String> all = values.get(field);
      return all == null ? null : all.get(0);
    }

    @Override
    public List<String> getAll(Field field) {
      return values.getOrDefault(field, List.of());
    }

    @Override
    public boolean hasToken(Field field, String token) {
      for (String line : getAll(field)) {
        for (String value : line.split(",", -1)) {
          if (value.strip().equalsIgnoreCase(token)) {
            return true;
          }
        }
      }
      return false;
    }
  }
}

package dev.mely.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A JSON object and where it stands, so that whoever misses something in it can say so.
 *
 * @param path where it stands, for people
 * @param values what it has
 */
record JsonObject(String path, Map<?, ?> values) {
  /**
   * @throws IllegalArgumentException if it is no object
   */
  static JsonObject parse(String json) {
    if (JsonReader.read(json) instanceof Map<?, ?> map) {
      return new JsonObject("", map);
    }
    throw new IllegalArgumentException("expected a JSON object");
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  String text(String name) {
    return get(name, String.class, "a text");
  }

  boolean truth(String name) {
    return get(name, Boolean.class, "true or false");
  }

  /** Zero or more. */
  long number(String name) {
    long number = get(name, Long.class, "a whole number");
    if (number < 0) {
      throw wrong(name, "zero or more", number);
    }
    return number;
  }

  /** Zero or more. */
  int integer(String name) {
    long number = number(name);
    if (number > Integer.MAX_VALUE) {
      throw wrong(name, "less than 2^31", number);
    }
    return (int) number;
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Object each : get(name, List.class, "a list")) {
      if (!(each instanceof String text)) {
        throw wrong(name, "a list of texts", each);
      }
      texts.add(text);
    }
    return texts;
  }

  /** None if there is no such list. */
  List<String> textsIfAny(String name) {
    return values.containsKey(name) ? texts(name) : List.of();
  }

  List<JsonObject> objects(String name) {
    List<JsonObject> objects = new ArrayList<>();
    for (Object each : get(name, List.class, "a list")) {
      if (!(each instanceof Map<?, ?> map)) {
        throw wrong(name, "a list of objects", each);
      }
      objects.add(new JsonObject(at(name) + "[" + objects.size() + "].", map));
    }
    return objects;
  }

  /** Makes something of what is here: if that refuses a value, says of which object. */
  <T> T checked(Supplier<T> maker) {
    try {
      return maker.get();
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      throw message.contains(path) ? e : new IllegalArgumentException(path + message, e);
    }
  }

  private <T> T get(String name, Class<T> type, String what) {
    Object value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("there is no " + at(name));
    }
    if (!type.isInstance(value)) {
      throw wrong(name, what, value);
    }
    return type.cast(value);
  }

  private String at(String name) {
    return path + name;
  }

  private IllegalArgumentException wrong(String name, String what, Object found) {
    return new IllegalArgumentException(at(name) + " must be " + what + ", but is " + found);
  }
}

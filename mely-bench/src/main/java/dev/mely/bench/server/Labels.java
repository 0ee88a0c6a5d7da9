package dev.mely.bench.server;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Names on the command line. */
final class Labels {
  private Labels() {}

  /**
   * Looks a value up by its name.
   *
   * @throws IllegalArgumentException naming what is known, if there is none of that name
   */
  static <T> T parse(String what, String name, T[] values, Function<T, String> label) {
    for (T value : values) {
      if (label.apply(value).equals(name)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "unknown "
            + what
            + " '"
            + name
            + "'; known: "
            + Arrays.stream(values).map(label).collect(Collectors.joining(", ")));
  }
}

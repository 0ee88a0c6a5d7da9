package dev.mely.bench;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Names on the command line. */
public final class Labels {
  private Labels() {}

  /**
   * Looks a value up by its name.
   *
   * @throws IllegalArgumentException for an unknown name; the message lists the known ones
   */
  public static <T> T parse(
      String what, String name, Collection<T> values, Function<T, String> label) {
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
            + values.stream().map(label).collect(Collectors.joining(", ")));
  }

  /**
   * Looks up the values of an option.
   *
   * @return each once, in the given order
   * @throws ParameterException for an unknown name; the message names it
   */
  public static <T> List<T> parseAll(
      CommandSpec spec, List<String> names, Function<String, T> parser) {
    try {
      return names.stream().map(parser).distinct().toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}

package dev.mely.examples.sws;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads one of several values by its name, the result of its {@code toString}. */
abstract class NameConverter<T> implements ITypeConverter<T> {
  private final String what;
  private final T[] values;

  NameConverter(String what, T[] values) {
    this.what = what;
    this.values = values;
  }

  @Override
  public final T convert(String name) {
    for (T value : values) {
      if (value.toString().equals(name)) {
        return value;
      }
    }
    String known = Arrays.stream(values).map(String::valueOf).collect(Collectors.joining(", "));
    throw new TypeConversionException("unknown " + what + " '" + name + "': use one of " + known);
  }
}

package dev.mely.examples;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a whole number of seconds. */
public final class SecondsConverter implements ITypeConverter<Duration> {
  /** For picocli. */
  public SecondsConverter() {}

  @Override
  public Duration convert(String text) {
    try {
      return Duration.ofSeconds(Integer.parseInt(text));
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is not an int");
    }
  }
}

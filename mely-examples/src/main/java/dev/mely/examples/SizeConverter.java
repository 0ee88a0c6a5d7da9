package dev.mely.examples;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of bytes with a unit: B, kB, MB, GB (of 1,000), KiB, MiB, GiB (of 1,024). */
public final class SizeConverter implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\s*([kKMG]?)(i?)B?");

  /** For picocli. */
  public SizeConverter() {}

  @Override
  public Long convert(String text) {
    Matcher match = FORM.matcher(text);
    if (!match.matches()) {
      throw new TypeConversionException("'" + text + "' is not a size such as 200MB");
    }
    long unit = match.group(3).isEmpty() ? 1000 : 1024;
    int power =
        switch (match.group(2)) {
          case "" -> 0;
          case "M" -> 2;
          case "G" -> 3;
          default -> 1;
        };
    long bytes = Long.parseLong(match.group(1));
    for (int i = 0; i < power; i++) {
      bytes = Math.multiplyExact(bytes, unit);
    }
    return bytes;
  }
}

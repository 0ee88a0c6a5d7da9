package dev.mely.examples;

import dev.mely.StealPolicy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a {@link StealPolicy} from a command line. */
public final class PolicyConverter implements ITypeConverter<StealPolicy> {
  /** For picocli. */
  public PolicyConverter() {}

  @Override
  public StealPolicy convert(String name) {
    try {
      return StealPolicy.parse(name);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}

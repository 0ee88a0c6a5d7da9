package dev.mely.examples.sws;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of a request as Netty's decoder has found them.
 *
 * @param headers all of them
 */
record NettyFields(HttpHeaders headers) implements Fields {
  /** With their hashes ready. */
  private static final Map<Field, AsciiString> NAMES = new EnumMap<>(Field.class);

  static {
    for (Field field : Field.values()) {
      NAMES.put(field, AsciiString.cached(field.toString()));
    }
  }

  private static AsciiString name(Field field) {
    return Objects.requireNonNull(NAMES.get(field));
  }

  @Override
  public @Nullable String get(Field field) {
    return headers.get(name(field));
  }

  @Override
  public List<String> getAll(Field field) {
    return headers.getAll(name(field));
  }

  @Override
  public boolean hasToken(Field field, String token) {
    return headers.containsValue(name(field), token, true);
  }

  @Override
  public boolean contains(Field field) {
    return headers.contains(name(field));
  }
}

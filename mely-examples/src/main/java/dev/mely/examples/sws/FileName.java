package dev.mely.examples.sws;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A file's name as text, in UTF-8 in every locale.
 *
 * <p>To the operating system a name is bytes. {@link Path#of(String, String...)} and {@link
 * Path#toString} convert them with the locale's encoding: in the locale {@code C}, in which
 * services are often started, a name beyond ASCII could not be opened, and would be listed wrongly.
 * The URI of a path has the bytes themselves.
 */
public final class FileName {
  private static final Path ROOT = Path.of("/");

  private FileName() {}

  /**
   * Returns the path of a name.
   *
   * @param name a single name
   * @return a relative path of that one name
   * @throws InvalidPathException if no directory entry can have this name
   */
  public static Path path(String name) {
    boolean climbs = name.equals(".") || name.equals("..");
    if (name.isEmpty() || climbs || name.indexOf('/') >= 0) {
      throw new InvalidPathException(name, "not the name of an entry");
    }
    if (isAscii(name)) {
      return Path.of(name);
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new InvalidPathException(name, "half a character");
    }
    StringBuilder uri = new StringBuilder("file:///");
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      uri.append('%').append(HexFormat.of().toHexDigits(b));
    }
    try {
      return ROOT.relativize(Path.of(URI.create(uri.toString())));
    } catch (IllegalArgumentException e) {
      throw new InvalidPathException(name, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the last name of a path.
   *
   * @return its name; null if its bytes are not UTF-8
   */
  public static @Nullable String text(Path path) {
    Path name = path.getFileName();
    String text = String.valueOf(name);
    if (name == null || isAscii(text)) {
      return text;
    }
    String uri = ROOT.resolve(name).toUri().getRawPath();
    int end = uri.endsWith("/") ? uri.length() - 1 : uri.length(); // so ends the URI of a directory
    ByteBuffer bytes = ByteBuffer.allocate(end);
    for (int i = 1; i < end; i++) {
      if (uri.charAt(i) == '%') {
        bytes.put((byte) HexFormat.fromHexDigits(uri, i + 1, i + 3));
        i += 2;
      } else {
        bytes.put((byte) uri.charAt(i));
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static boolean isAscii(String name) {
    return name.chars().allMatch(c -> c < 0x80);
  }
}

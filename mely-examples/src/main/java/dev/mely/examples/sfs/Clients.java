package dev.mely.examples.sfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The clients that a server knows, by their keys, and what they may do; immutable. Kept in a file:
 * each line has a key, {@code ro} or {@code rw}, and whatever helps a person; a number sign begins
 * a comment.
 */
final class Clients {
  /** What a client may do. */
  enum Right {
    READ,
    WRITE
  }

  private final Map<PublicId, Right> rights;

  Clients(Map<PublicId, Right> rights) {
    this.rights = Map.copyOf(rights);
  }

  /**
   * Reads the file.
   *
   * @throws IOException if it cannot be read, or a line makes no sense; the message names it
   */
  static Clients load(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("there is no list of clients '" + file + "'");
    }
    Map<PublicId, Right> rights = new HashMap<>();
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] words = line.split("\\s+", 3);
      try {
        String right = words.length < 2 ? "" : words[1].toLowerCase(Locale.ROOT);
        rights.put(
            PublicId.parse(words[0]),
            switch (right) {
              case "ro" -> Right.READ;
              case "rw" -> Right.WRITE;
              default -> throw new IllegalArgumentException("neither 'ro' nor 'rw' after the key");
            });
      } catch (IllegalArgumentException e) {
        throw new IOException(file + ", line " + (i + 1) + ": " + e.getMessage(), e);
      }
    }
    return new Clients(rights);
  }

  /** What somebody may do; null: nothing. */
  @Nullable Right right(PublicId client) {
    return rights.get(client);
  }

  int size() {
    return rights.size();
  }
}

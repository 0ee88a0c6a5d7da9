package dev.mely.examples.sfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The clients that a server knows, from a file: each line has a key, {@code ro} or {@code rw}, and
 * optional text; a number sign starts a comment.
 *
 * @param mayWrite whether a client may write, by key; all may read
 */
record KnownClients(Map<PublicId, Boolean> mayWrite) {
  KnownClients {
    mayWrite = Map.copyOf(mayWrite);
  }

  /**
   * Reads the file.
   *
   * @throws IOException if it cannot be read, or a line is invalid; the message names it
   */
  static KnownClients load(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("there is no list of clients '" + file + "'");
    }
    Map<PublicId, Boolean> mayWrite = new HashMap<>();
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] words = line.split("\\s+", 3);
      try {
        String right = words.length < 2 ? "" : words[1].toLowerCase(Locale.ROOT);
        if (!right.equals("ro") && !right.equals("rw")) {
          throw new IllegalArgumentException("neither 'ro' nor 'rw' after the key");
        }
        mayWrite.put(PublicId.parse(words[0]), right.equals("rw"));
      } catch (IllegalArgumentException e) {
        throw new IOException(file + ", line " + (i + 1) + ": " + e.getMessage(), e);
      }
    }
    return new KnownClients(mayWrite);
  }
}

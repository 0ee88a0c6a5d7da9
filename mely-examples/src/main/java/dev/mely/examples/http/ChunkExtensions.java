package dev.mely.examples.http;

/**
 * The grammar of what may stand behind the size of a chunk (RFC 9112, section 7.1.1). It means
 * nothing here, but what is no extension is refused.
 */
final class ChunkExtensions {
  private final String line;
  private int at;

  private ChunkExtensions(String line, int from) {
    this.line = line;
    this.at = from;
  }

  /**
   * Returns whether a line has extensions, or nothing, from there to its end.
   *
   * @param line without its end, a character for each byte
   * @param from where the size ends, 0 to the length of the line
   * @return false if anything else stands there
   */
  static boolean areValid(String line, int from) {
    return new ChunkExtensions(line, from).areValid();
  }

  private boolean areValid() {
    while (at < line.length()) {
      skipBlanks();
      if (!skip(';')) {
        return false;
      }
      skipBlanks();
      if (!skipToken()) {
        return false;
      }
      int end = at;
      skipBlanks();
      if (!skip('=')) {
        at = end;
      } else if (!skipValue()) {
        return false;
      }
    }
    return true;
  }

  private boolean skipValue() {
    skipBlanks();
    return skip('"') ? skipQuoted() : skipToken();
  }

  private boolean skipQuoted() {
    while (at < line.length()) {
      char c = line.charAt(at++);
      if (c == '"') {
        return true;
      }
      if (c == '\\') {
        c = at < line.length() ? line.charAt(at++) : 0;
      }
      if (c != '\t' && (c < ' ' || c > '~')) {
        return false;
      }
    }
    return false;
  }

  private boolean skipToken() {
    int from = at;
    while (at < line.length() && Characters.isToken(line.charAt(at))) {
      at++;
    }
    return at > from;
  }

  private void skipBlanks() {
    while (at < line.length() && Characters.isBlank(line.charAt(at))) {
      at++;
    }
  }

  private boolean skip(char expected) {
    boolean found = at < line.length() && line.charAt(at) == expected;
    at += found ? 1 : 0;
    return found;
  }
}

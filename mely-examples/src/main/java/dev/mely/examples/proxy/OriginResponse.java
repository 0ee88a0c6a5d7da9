package dev.mely.examples.proxy;

import java.util.List;

/**
 * The head of what an origin has answered.
 *
 * @param status 100 to 599
 * @param reason what stands beside it, possibly empty
 * @param minor the version in which it came: 0 for HTTP/1.0
 * @param raw all fields
 * @param header what is passed on: no hop-by-hop field, no length
 */
record OriginResponse(int status, String reason, int minor, Header raw, Header header) {
  private static final java.util.Set<String> FRAMING = java.util.Set.of("content-length");
  private static final int MAX_LENGTH_DIGITS = 18;

  static OriginResponse parse(HeadReader.Head head) throws Malformed {
    String line = head.start();
    boolean right =
        line.length() >= 12
            && line.startsWith("HTTP/1.")
            && isDigit(line.charAt(7))
            && line.charAt(8) == ' '
            && isDigit(line.charAt(9))
            && isDigit(line.charAt(10))
            && isDigit(line.charAt(11))
            && (line.length() == 12 || line.charAt(12) == ' ');
    int status = right ? Integer.parseInt(line.substring(9, 12)) : 0;
    String reason = line.length() > 13 ? line.substring(13) : "";
    if (!right || status < 100 || status > 599 || !Header.isText(reason)) {
      throw new Malformed("there is no status line");
    }
    int minor = line.charAt(7) - '0';
    Header raw = head.header();
    if (status < 200
        && !(raw.all("content-length").stream().allMatch("0"::equals)
            && raw.all("transfer-encoding").isEmpty())) {
      throw new Malformed("a response that is not the last one announces content");
    }
    return new OriginResponse(status, reason, minor, raw, raw.endToEnd().without(FRAMING));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** A length in digits and nothing else; negative: it is none. */
  static long length(String digits) {
    if (digits.isEmpty()
        || digits.length() > MAX_LENGTH_DIGITS
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -1;
    }
    return Long.parseLong(digits);
  }

  boolean isInterim() {
    return status < 200;
  }

  /** How much content is announced; negative: that is not said. */
  long announcedLength() {
    String length = raw.get("content-length");
    return length == null ? -1 : length(length);
  }

  /**
   * How the body ends. A response that says so twice, or in a way that others read otherwise, is
   * refused: this is where what one reader takes for content is the next response for another.
   *
   * @param toHead whether it answers HEAD
   */
  BodyReader body(boolean toHead) throws Malformed {
    List<String> codings = raw.all("transfer-encoding");
    List<String> lengths = raw.all("content-length");
    if (!codings.isEmpty()) {
      if (!lengths.isEmpty()
          || minor != 1 // of a version that there is not, others let no coding pass either
          || codings.size() > 1
          || !codings.get(0).equalsIgnoreCase("chunked")) {
        throw new Malformed("the end of the body cannot be found");
      }
    }
    if (lengths.size() > 1 || (!lengths.isEmpty() && length(lengths.get(0)) < 0)) {
      throw new Malformed("the length of the body is no number, or there are several");
    }
    if (toHead || status == 204 || status == 304) {
      return BodyReader.none();
    }
    if (!codings.isEmpty()) {
      return BodyReader.chunked();
    }
    return lengths.isEmpty() ? BodyReader.untilClose() : BodyReader.ofLength(announcedLength());
  }
}

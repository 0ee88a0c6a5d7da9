package dev.mely.examples.sws;

import dev.mely.examples.http.EntityTags;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which part of a file a request gets, by its conditions (RFC 9110, section 13) and its range.
 *
 * @param kind what it is
 * @param first offset of the first byte to send
 * @param length how many bytes to send; 0 for a 304 or 416
 */
record Selection(Kind kind, long first, long length) {
  /** The file, a part of it, or neither. */
  enum Kind {
    WHOLE,
    PART,
    /** The client has it already: 304. */
    NOT_MODIFIED,
    /** No byte of the range is in the file: 416. */
    UNSATISFIABLE
  }

  private static final Pattern RANGE =
      Pattern.compile("bytes=\\s*+(?!-$)([0-9]*+)-([0-9]*+)", Pattern.CASE_INSENSITIVE);

  private static final Selection NOT_MODIFIED = new Selection(Kind.NOT_MODIFIED, 0, 0);
  static final Selection UNSATISFIABLE = new Selection(Kind.UNSATISFIABLE, 0, 0);

  /**
   * Evaluates the conditions in the RFC's order; a tag takes precedence over a date, and an invalid
   * date is ignored.
   *
   * @throws Refusal if the client requires another version (412)
   */
  static Selection of(Request request, Representation file, HttpClock now) throws Refusal {
    Header headers = request.headers();
    String tag = file.tag().toString();
    long modified = file.lastModified(now);
    List<String> ifMatch = headers.all("if-match");
    if (ifMatch.isEmpty()
        ? modified > HttpClock.parse(headers.get("if-unmodified-since"), Long.MAX_VALUE)
        : !EntityTags.name(ifMatch, tag, false)) {
      throw Refusal.of(Status.PRECONDITION_FAILED, "The file is not the requested version.");
    }
    List<String> ifNoneMatch = headers.all("if-none-match");
    if (ifNoneMatch.isEmpty()
        ? modified <= HttpClock.parse(headers.get("if-modified-since"), Long.MIN_VALUE)
        : EntityTags.name(ifNoneMatch, tag, true)) {
      return NOT_MODIFIED;
    }
    String range = headers.get("range");
    return range == null || request.head() || !rangeApplies(headers, file)
        ? whole(file.size())
        : ofRange(range, file.size());
  }

  static Selection whole(long size) {
    return new Selection(Kind.WHOLE, 0, size);
  }

  /**
   * Parses a single range (RFC 9110, section 14); an invalid or multiple range, or another unit, is
   * ignored.
   *
   * @param size of the file
   */
  static Selection ofRange(String value, long size) {
    Matcher range = RANGE.matcher(value.strip());
    if (!range.matches()) {
      return whole(size);
    }
    String from = range.group(1);
    String to = range.group(2);
    long first = from.isEmpty() ? Math.max(0, size - number(to)) : number(from);
    long last = from.isEmpty() || to.isEmpty() ? Long.MAX_VALUE : number(to);
    if (last < first) {
      return whole(size);
    }
    return first < size
        ? new Selection(Kind.PART, first, Math.min(last, size - 1) - first + 1)
        : UNSATISFIABLE;
  }

  private static long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException largerThanAnyFile) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Whether a part may be served, which the client will join with others: only if a strong
   * validator names this version, or there is no If-Range.
   *
   * <p>A date is not a strong validator here: programs may set a file's time, and a file may change
   * twice in a second (RFC 9110, sections 8.8.2.2 and 13.1.5). So a range with a date is answered
   * with the whole file.
   */
  private static boolean rangeApplies(Header headers, Representation file) {
    String ifRange = headers.get("if-range");
    if (ifRange != null) {
      return !file.tag().weak() && ifRange.strip().equals(file.tag().text());
    }
    return headers.contains("if-match") || !headers.contains("if-unmodified-since");
  }
}

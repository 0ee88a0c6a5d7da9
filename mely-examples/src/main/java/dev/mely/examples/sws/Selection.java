package dev.mely.examples.sws;

import dev.mely.examples.http.EntityTags;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What of a file a request gets, by its conditions (RFC 9110, section 13) and its range.
 *
 * @param kind what it is
 * @param first offset of the first byte that is sent
 * @param length how many bytes are sent; 0 where it is neither the file nor a part of it
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
   * Weighs the conditions in the order that the RFC gives; a tag goes before a date, and what is
   * not a date is ignored.
   *
   * @throws Refusal if the client wants another version
   */
  static Selection of(Request request, Representation file, HttpClock now) throws Refusal {
    Header headers = request.headers();
    String tag = file.tag().toString();
    long modified = file.lastModified(now);
    List<String> ifMatch = headers.all("if-match");
    if (ifMatch.isEmpty()
        ? modified > HttpClock.parse(headers.get("if-unmodified-since"), Long.MAX_VALUE)
        : !EntityTags.name(ifMatch, tag, false)) {
      throw Refusal.of(Status.PRECONDITION_FAILED, "The file is not the version asked for.");
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
   * Reads a single range (RFC 9110, section 14); what is none, more than one, or in another unit is
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
   * Whether a part may be served, which the client will join with what it has: only if a strong
   * validator names this very version, or the client sets no condition.
   *
   * <p>A date is none here: a program that changes a file may set its time, and a file may change
   * twice in a second (RFC 9110, sections 8.8.2.2 and 13.1.5). So what is asked for of a date is
   * sent whole.
   */
  private static boolean rangeApplies(Header headers, Representation file) {
    String ifRange = headers.get("if-range");
    if (ifRange != null) {
      return !file.tag().weak() && ifRange.strip().equals(file.tag().text());
    }
    return headers.contains("if-match") || !headers.contains("if-unmodified-since");
  }
}

package dev.mely.examples.sws;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The conditions that a request sets on a file (RFC 9110, section 13). */
final class Validators {
  /** What the conditions come to. */
  enum Outcome {
    /** Serve the file. */
    PROCEED,
    /** The client has it already: 304. */
    NOT_MODIFIED,
    /** The client wants another version: 412. */
    FAILED
  }

  /** An entity tag's mark of weakness. */
  private static final String WEAK = "W/";

  private static final long NO_DATE = Long.MIN_VALUE;

  private Validators() {}

  /** Weighs the conditions in the order that the RFC gives; a tag goes before a date. */
  static Outcome evaluate(Fields headers, FileInfo file) {
    List<String> ifMatch = headers.getAll(Field.IF_MATCH);
    if (!ifMatch.isEmpty()) {
      if (!names(ifMatch, file.etag(), false)) {
        return Outcome.FAILED;
      }
    } else {
      long since = date(headers.get(Field.IF_UNMODIFIED_SINCE));
      if (since != NO_DATE && file.modifiedSecond() > since) {
        return Outcome.FAILED;
      }
    }
    List<String> ifNoneMatch = headers.getAll(Field.IF_NONE_MATCH);
    if (!ifNoneMatch.isEmpty()) {
      return names(ifNoneMatch, file.etag(), true) ? Outcome.NOT_MODIFIED : Outcome.PROCEED;
    }
    long since = date(headers.get(Field.IF_MODIFIED_SINCE));
    return since != NO_DATE && file.modifiedSecond() <= since
        ? Outcome.NOT_MODIFIED
        : Outcome.PROCEED;
  }

  /**
   * Whether a range may be served: there is no {@code If-Range}, or it names this very version. A
   * date names a version only if the file had been left alone for a second by then.
   */
  static boolean rangeApplies(Fields headers, FileInfo file, long nowSecond) {
    String ifRange = headers.get(Field.IF_RANGE);
    if (ifRange == null) {
      return true;
    }
    String value = ifRange.strip();
    if (value.startsWith("\"") || value.startsWith(WEAK)) {
      return value.equals(file.etag());
    }
    return date(value) == file.modifiedSecond() && file.modifiedSecond() < nowSecond;
  }

  /** Whether a list of entity tags, or a star, names this tag. */
  private static boolean names(List<String> fields, String etag, boolean weakly) {
    for (String field : fields) {
      int at = 0;
      while (at < field.length()) {
        char c = field.charAt(at);
        if (c == ' ' || c == '\t' || c == ',') {
          at++;
        } else if (c == '*') {
          return true;
        } else {
          boolean weak = field.startsWith(WEAK, at);
          int open = weak ? at + WEAK.length() : at;
          int close = field.startsWith("\"", open) ? field.indexOf('"', open + 1) : -1;
          if (close < 0) {
            break; // not a tag: the rest of this field says nothing
          }
          if ((weakly || !weak)
              && close + 1 - open == etag.length()
              && field.startsWith(etag, open)) {
            return true;
          }
          at = close + 1;
        }
      }
    }
    return false;
  }

  /** Seconds since the epoch; {@link #NO_DATE} for what is not a date, which is ignored. */
  private static long date(@Nullable String text) {
    return text == null || text.isEmpty() ? NO_DATE : HttpClock.parse(text, NO_DATE);
  }
}

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

  private static final long NO_DATE = Long.MIN_VALUE;

  private Validators() {}

  /** Weighs the conditions in the order that the RFC gives; a tag goes before a date. */
  static Outcome evaluate(Fields headers, Representation file, HttpClock now) {
    List<String> ifMatch = headers.getAll(Field.IF_MATCH);
    if (!ifMatch.isEmpty()) {
      if (!names(ifMatch, file.tag(), false)) {
        return Outcome.FAILED;
      }
    } else {
      long since = date(headers.get(Field.IF_UNMODIFIED_SINCE));
      if (since != NO_DATE && file.lastModified(now) > since) {
        return Outcome.FAILED;
      }
    }
    List<String> ifNoneMatch = headers.getAll(Field.IF_NONE_MATCH);
    if (!ifNoneMatch.isEmpty()) {
      return names(ifNoneMatch, file.tag(), true) ? Outcome.NOT_MODIFIED : Outcome.PROCEED;
    }
    long since = date(headers.get(Field.IF_MODIFIED_SINCE));
    return since != NO_DATE && file.lastModified(now) <= since
        ? Outcome.NOT_MODIFIED
        : Outcome.PROCEED;
  }

  /**
   * Whether a part may be served, which the client will join with what it has: only if a strong
   * validator names this very version, or the client sets no condition.
   *
   * <p>A date is none here: a program that changes a file may set its time, and a file may change
   * twice in a second (RFC 9110, sections 8.8.2.2 and 13.1.5). So what is asked for of a date is
   * sent whole.
   */
  static boolean rangeApplies(Fields headers, Representation file) {
    String ifRange = headers.get(Field.IF_RANGE);
    if (ifRange != null) {
      return !file.tag().weak() && ifRange.strip().equals(file.tag().text());
    }
    return headers.contains(Field.IF_MATCH) || !headers.contains(Field.IF_UNMODIFIED_SINCE);
  }

  /**
   * Whether a list of entity tags, or a star, names this tag.
   *
   * @param weakly whether weak tags count, of either side
   */
  private static boolean names(List<String> fields, EntityTag tag, boolean weakly) {
    String text = tag.text();
    for (String field : fields) {
      int at = 0;
      while (at < field.length()) {
        char c = field.charAt(at);
        if (c == ' ' || c == '\t' || c == ',') {
          at++;
        } else if (c == '*') {
          return true;
        } else {
          boolean weak = field.startsWith(EntityTag.WEAK, at);
          int open = weak ? at + EntityTag.WEAK.length() : at;
          int close = field.startsWith("\"", open) ? field.indexOf('"', open + 1) : -1;
          if (close < 0) {
            break; // not a tag: the rest of this field says nothing
          }
          if ((weakly || !(weak || tag.weak()))
              && close + 1 - open == text.length()
              && field.startsWith(text, open)) {
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

package dev.mely.examples.sws;

import dev.mely.examples.http.EntityTags;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.List;

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

  /** What is not a date is ignored. */
  private static final long NO_DATE = Long.MIN_VALUE;

  private Validators() {}

  /** Weighs the conditions in the order that the RFC gives; a tag goes before a date. */
  static Outcome evaluate(Header headers, Representation file, HttpClock now) {
    List<String> ifMatch = headers.all("if-match");
    if (!ifMatch.isEmpty()) {
      if (!EntityTags.name(ifMatch, file.tag().toString(), false)) {
        return Outcome.FAILED;
      }
    } else {
      long since = HttpClock.parse(headers.get("if-unmodified-since"), NO_DATE);
      if (since != NO_DATE && file.lastModified(now) > since) {
        return Outcome.FAILED;
      }
    }
    List<String> ifNoneMatch = headers.all("if-none-match");
    if (!ifNoneMatch.isEmpty()) {
      return EntityTags.name(ifNoneMatch, file.tag().toString(), true)
          ? Outcome.NOT_MODIFIED
          : Outcome.PROCEED;
    }
    long since = HttpClock.parse(headers.get("if-modified-since"), NO_DATE);
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
  static boolean rangeApplies(Header headers, Representation file) {
    String ifRange = headers.get("if-range");
    if (ifRange != null) {
      return !file.tag().weak() && ifRange.strip().equals(file.tag().text());
    }
    return headers.contains("if-match") || !headers.contains("if-unmodified-since");
  }
}

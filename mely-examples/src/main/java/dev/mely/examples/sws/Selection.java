package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import org.jspecify.annotations.Nullable;

/**
 * What of a file a request gets, by its conditions and its range.
 *
 * @param kind what it is
 * @param range of a part
 */
record Selection(Kind kind, @Nullable RangeHeader range) {
  /** The file, a part of it, or neither. */
  enum Kind {
    WHOLE,
    PART,
    NOT_MODIFIED,
    UNSATISFIABLE
  }

  private static final Selection WHOLE = new Selection(Kind.WHOLE, null);
  private static final Selection NOT_MODIFIED = new Selection(Kind.NOT_MODIFIED, null);
  private static final Selection UNSATISFIABLE = new Selection(Kind.UNSATISFIABLE, null);

  /**
   * Weighs the conditions.
   *
   * @throws Refusal if one fails
   */
  static Selection of(Request request, Representation file, HttpClock now) throws Refusal {
    if (!request.isConditional()) {
      return WHOLE;
    }
    switch (Validators.evaluate(request.headers(), file, now)) {
      case NOT_MODIFIED -> {
        return NOT_MODIFIED;
      }
      case FAILED ->
          throw Refusal.of(Status.PRECONDITION_FAILED, "The file is not the version asked for.");
      case PROCEED -> {}
    }
    String value = request.headers().get("range");
    if (value == null || request.head() || !Validators.rangeApplies(request.headers(), file)) {
      return WHOLE;
    }
    try {
      RangeHeader range = RangeHeader.parse(value, file.size());
      return range == null ? WHOLE : new Selection(Kind.PART, range);
    } catch (RangeHeader.Unsatisfiable e) {
      return UNSATISFIABLE;
    }
  }
}

package dev.mely.examples.sws.hostile;

import java.util.List;

/** The bytes of all framing tricks, from which fuzzers derive others. */
public final class TrickTexts {
  private TrickTexts() {}

  /** Each as characters of its bytes' values. */
  public static List<String> all() {
    return FramingTricks.ALL.stream().map(FramingTricks.Trick::bytes).toList();
  }
}

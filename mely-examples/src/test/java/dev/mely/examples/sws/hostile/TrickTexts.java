package dev.mely.examples.sws.hostile;

import java.util.List;

/** The bytes of all framing tricks, for those who make others of them. */
public final class TrickTexts {
  private TrickTexts() {}

  /** Each as characters of its bytes' values. */
  public static List<String> all() {
    return FramingTricks.ALL.stream().map(FramingTricks.Trick::bytes).toList();
  }
}

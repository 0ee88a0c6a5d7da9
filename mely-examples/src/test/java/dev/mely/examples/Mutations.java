package dev.mely.examples;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Messages that are nearly right: parsers meet them before attackers do. */
public final class Mutations {
  private Mutations() {}

  /**
   * Changes a message in up to three places.
   *
   * @param message what is right, one byte a character
   * @param spices what this protocol's parsers stumble over; put in here and there
   * @param random draws what happens where
   * @return its bytes
   */
  public static byte[] of(String message, String[] spices, SplittableRandom random) {
    StringBuilder text = new StringBuilder(message);
    for (int n = random.nextInt(4); n > 0; n--) {
      int at = random.nextInt(text.length() + 1);
      switch (random.nextInt(5)) {
        case 0 -> text.insert(at, (char) random.nextInt(256));
        case 1 -> text.insert(at, spices[random.nextInt(spices.length)]);
        case 2 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(4)));
        case 3 -> {
          int end = Math.min(text.length(), at + random.nextInt(30));
          text.insert(end, text.substring(at, end));
        }
        default -> {
          if (at < text.length()) {
            text.setCharAt(at, (char) (text.charAt(at) ^ (1 << random.nextInt(8))));
          }
        }
      }
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}

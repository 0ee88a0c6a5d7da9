package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
  private static boolean matches(String pattern, String name) {
    return new Glob(Bytes.of(pattern)).matches(Bytes.of(name));
  }

  @ParameterizedTest
  @CsvSource({
    "*, '', true",
    "*, abc, true",
    "'', '', true",
    "'', a, false",
    "a*c, abc, true",
    "a*c, abcd, false",
    "a*b*c, axxbxxbxc, true",
    "h?llo, hello, true",
    "h?llo, hllo, false",
    "h[ae]llo, hallo, true",
    "h[^e]llo, hello, false",
    "h[a-c]llo, hbllo, true",
    "h[c-a]llo, hbllo, true",
    "h\\*llo, h*llo, true",
    "h\\*llo, hallo, false",
    "[\\]], ], true",
    "[a, a, true",
    "\\, \\, true",
    "**a**, xax, true",
    "*a, aaab, false"
  })
  void asInRedis(String pattern, String name, boolean expected) {
    assertEquals(expected, matches(pattern, name));
  }

  /** A pattern that keeps others busy for ages. */
  @Test
  void manyStarsTakeNoTime() {
    assertFalse(matches("a*".repeat(5_000) + "b", "a".repeat(10_000)));
  }
}

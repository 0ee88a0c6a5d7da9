package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlPathTest {
  @ParameterizedTest
  @CsvSource({
    "/, /",
    "/a, /a",
    "/a/, /a/",
    "//a//b, /a/b",
    "/a/., /a/",
    "/./a/./, /a/",
    "/a%20b, /a%20b",
    "/%61%2D%7e, /a-~",
    "/%C3%A9, /%C3%A9",
    "/a?b, /a",
    "/a+b, /a+b",
    "/a:b, /a%3Ab",
    "http://h, /",
    "http://h/a, /a",
    "http://h:1/a?x=/y, /a",
    "HTTP://h?x=/y, /",
    "http://[::1]:80/a, /a",
    "http://h:/a, /a",
  })
  void canonicalSpelling(String target, String expected) throws Refusal {
    assertEquals(expected, UrlPath.parse(target).canonical());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://",
        "http:///a",
        "http://?x=/a",
        "http://#/a",
        "http://h#/a",
        "http://:80/a",
        "http://h:x/a",
        "http://h:65536/a",
        "http://u@h/a",
        "http://u:p@h/a",
        "http://[::1/a",
        "http://[]/a",
        "http://h%2/a",
        "http://h%zz/a",
        "http://h\\i/a",
        "http:/a",
        "http:a",
        "://h/a",
        "x://h/a",
        "/a?b#c",
        "?/a",
        "#/a",
        "/\uff10",
        "/%\uff10\uff10",
      })
  void refused(String target) {
    Refusal refusal = assertThrows(Refusal.class, () -> UrlPath.parse(target));
    assertEquals(400, refusal.status().code());
  }

  /** RFC 9110, section 7.4. */
  @Test
  void aSecureResourceOnAConnectionThatIsNot() {
    Refusal refusal = assertThrows(Refusal.class, () -> UrlPath.parse("https://h/a"));
    assertEquals(421, refusal.status().code());
  }

  @Test
  void decodedNames() throws Refusal {
    assertEquals(
        new UrlPath(List.of("a b", "\u00e9\u20ac\ud83d\ude00"), true),
        UrlPath.parse("/a%20b/%c3%a9%e2%82%ac%f0%9f%98%80/"));
    assertEquals("/a b/c/", UrlPath.parse("/a%20b/c/").text());
    // Bytes that a client did not encode arrive as characters of the same value.
    byte[] utf8 = "/\u00e9".getBytes(StandardCharsets.UTF_8);
    assertEquals(
        List.of("\u00e9"), UrlPath.parse(new String(utf8, StandardCharsets.ISO_8859_1)).names());
  }

  @Test
  void anyNameSurvivesEncodingAndDecoding() throws Refusal {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 2_000; i++) {
      StringBuilder name = new StringBuilder("x");
      for (int n = random.nextInt(1, 20); n > 0; n--) {
        char c =
            (char) (random.nextBoolean() ? random.nextInt(' ', 127) : random.nextInt(160, 9999));
        name.append(c == '/' || c == '\\' ? '_' : c);
      }
      UrlPath path = UrlPath.parse("/" + UrlPath.encode(name.toString()));
      assertEquals(List.of(name.toString()), path.names());
    }
  }

  /** For any bytes, the result is a refusal, or names without {@code ..}. */
  @Test
  void noNameEverClimbs() {
    SplittableRandom random = new SplittableRandom(4);
    String alphabet = "/.%2eEfFcC05\\aA?#\u0000\u00c0\u00ae";
    int refused = 0;
    for (int i = 0; i < 200_000; i++) {
      StringBuilder target = new StringBuilder("/");
      for (int n = random.nextInt(12); n > 0; n--) {
        target.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      try {
        for (String name : UrlPath.parse(target.toString()).names()) {
          assertTrue(
              !name.isEmpty()
                  && !name.equals(".")
                  && !name.equals("..")
                  && name.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' '),
              () -> "'" + name + "' from " + target);
        }
      } catch (Refusal expected) {
        refused++;
      }
    }
    assertTrue(refused > 1_000);
    assertThrows(Refusal.class, () -> UrlPath.parse("/a/%2e%2e/b"));
  }
}

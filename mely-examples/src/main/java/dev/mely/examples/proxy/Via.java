package dev.mely.examples.proxy;

import dev.mely.examples.http.Header;
import java.util.Locale;

/** The field Via: the proxies that a message has passed (RFC 9110, section 7.6.3). */
final class Via {
  private Via() {}

  /** Whether Via contains a proxy. */
  static boolean names(Header header, String self) {
    for (String member : header.tokens("via")) {
      // protocol, name, perhaps a comment
      String[] words = member.split("[ \t]+", 3);
      if (words.length > 1 && words[1].equals(self.toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  /** This proxy's entry: the message's version, and its name. */
  static String line(int minor, String self) {
    return "1." + minor + " " + self;
  }
}

package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What must hold of each parser, whatever it is given; none of it repeats how a parser works. */
final class HostileInput {
  private static final Representation FILE =
      new Representation(1_000, "x/y", new EntityTag("\"1a\"", false), 12);

  private HostileInput() {}

  /** Gives one input to the parser that its first byte chooses. */
  static void check(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] rest = Arrays.copyOfRange(input, 1, input.length);
    String text = new String(rest, StandardCharsets.ISO_8859_1);
    switch (input[0] & 3) {
      case 0 -> path(text);
      case 1 -> range(text, input[0] & 0xfc);
      case 2 -> conditions(text);
      default -> requests(rest);
    }
  }

  /** A path is refused, or no name of it climbs, and its one spelling means the same. */
  static void path(String target) {
    UrlPath path;
    try {
      path = UrlPath.parse(target);
    } catch (Refusal refused) {
      assertTrue(refused.status().code() >= 400);
      return;
    }
    for (String name : path.names()) {
      assertFalse(name.isEmpty() || name.equals(".") || name.equals(".."), target);
      assertTrue(name.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' '), target);
    }
    String canonical = path.canonical();
    // A second slash would make it another host's.
    assertTrue(canonical.startsWith("/") && !canonical.startsWith("//"), target);
    assertTrue(canonical.chars().allMatch(c -> c > ' ' && c < 0x7f), target);
    try {
      UrlPath again = UrlPath.parse(canonical);
      assertEquals(path.names(), again.names(), target);
      assertEquals(canonical, again.canonical(), target);
    } catch (Refusal refused) {
      throw new AssertionError(target + " became " + canonical, refused);
    }
  }

  /** A range is ignored, refused, or within the file. */
  static void range(String value, long size) {
    try {
      RangeHeader range = RangeHeader.parse(value, size);
      if (range != null) {
        assertTrue(0 <= range.first() && range.first() <= range.last(), value);
        assertTrue(range.last() < size, value);
        assertEquals(range.last() - range.first() + 1, range.length(), value);
      }
    } catch (RangeHeader.Unsatisfiable e) {
      assertTrue(value.strip().regionMatches(true, 0, "bytes=", 0, 6), value);
    }
  }

  /** Dates and tags that are none are ignored; a star and the file's own tag always hold. */
  static void conditions(String value) {
    for (String name :
        List.of("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")) {
      Validators.evaluate(headers(name, value), FILE, HttpClock.now());
    }
    Validators.rangeApplies(headers("if-range", value), FILE);
    if (value.indexOf('"') < 0 && value.indexOf('*') < 0) {
      assertEquals(
          Validators.Outcome.NOT_MODIFIED,
          Validators.evaluate(
              headers("if-none-match", FILE.tag() + "," + value), FILE, HttpClock.now()));
    }
  }

  private static Header headers(String name, String value) {
    return Header.EMPTY.with(name, value);
  }

  /** The same bytes are the same requests, in whatever pieces they come. */
  static void requests(byte[] bytes) {
    List<String> whole = decode(bytes, bytes.length);
    assertEquals(whole, decode(bytes, 1));
    assertEquals(whole, decode(bytes, 7));
    List<String> seen = withoutReasons(read(bytes, bytes.length));
    assertEquals(seen, withoutReasons(read(bytes, 1)), "without Netty, in pieces");
    assertEquals(seen, withoutReasons(read(bytes, 7)), "without Netty, in pieces");
    agree(new String(bytes, StandardCharsets.ISO_8859_1), withoutReasons(whole), seen);
    for (int i = 0; i < whole.size() - 1; i++) {
      assertFalse(whole.get(i).endsWith(" closing"), "more after the end: " + whole);
    }
  }

  /**
   * Either may see a fault sooner, and so in bytes that the other would wait to be more: the reader
   * without Netty looks at each line and the decoder at a whole header. Else they are the same.
   */
  private static void agree(String text, List<String> netty, List<String> own) {
    List<String> closing = List.of("closing");
    int same = Math.min(netty.size(), own.size());
    List<String> more = netty.subList(same, netty.size());
    List<String> ownMore = own.subList(same, own.size());
    assertTrue(
        netty.subList(0, same).equals(own.subList(0, same))
            && (more.isEmpty() || more.equals(closing))
            && (ownMore.isEmpty() || ownMore.equals(closing)),
        () -> "without Netty " + own + ", with it " + netty + ": " + text);
  }

  private static List<String> decode(byte[] bytes, int piece) {
    EmbeddedChannel channel = new EmbeddedChannel(new RequestDecoder(), new RequestParser());
    List<String> requests = new ArrayList<>();
    try {
      for (int at = 0; at < bytes.length; at += piece) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
        Object message;
        while ((message = channel.readInbound()) != null) {
          requests.add(describe((Request) message));
        }
        channel.releaseOutbound();
      }
    } finally {
      channel.finishAndReleaseAll();
    }
    return requests;
  }

  /** The same by the reader that does without Netty. */
  private static List<String> read(byte[] bytes, int piece) {
    RequestReader reader = new RequestReader();
    List<String> requests = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += piece) {
      reader.feed(ByteBuffer.wrap(bytes, at, Math.min(piece, bytes.length - at)));
      for (Request next = reader.next(); next != null; next = reader.next()) {
        requests.add(describe(next));
      }
    }
    return requests;
  }

  /** Which of several reasons is given for a refusal may differ, whether and where may not. */
  private static List<String> withoutReasons(List<String> requests) {
    List<String> same = new ArrayList<>(requests);
    same.replaceAll(request -> request.endsWith(" closing") ? "closing" : request);
    return same;
  }

  private static String describe(Request request) {
    Refusal refusal = request.refusal();
    boolean closing = refusal != null && refusal.isClosing();
    // What else stands in a request that ends the connection depends on where it broke.
    return closing
        ? refusal.status() + " closing"
        : (request.head() ? "HEAD " : "GET ")
            + request.target()
            + (request.keepAlive() ? " on" : " last")
            + (refusal == null ? "" : " " + refusal.status());
  }
}

package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Invariants of each parser for any input, independent of how the parser works. */
final class HostileInput {
  private static final Representation FILE =
      new Representation(1_000, "x/y", new EntityTag("\"1a\"", false), 12);

  private static final String CLOSING = " closing";

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
    Selection part = Selection.ofRange(value, size);
    switch (part.kind()) {
      case UNSATISFIABLE -> assertTrue(value.strip().regionMatches(true, 0, "bytes=", 0, 6), value);
      case PART -> {
        assertTrue(0 <= part.first() && part.first() < size, value);
        assertTrue(0 < part.length() && part.length() <= size - part.first(), value);
      }
      default -> assertEquals(Selection.whole(size), part, value);
    }
  }

  /** Dates and tags that are none are ignored; a star and the file's own tag always hold. */
  static void conditions(String value) {
    for (String name :
        List.of(
            "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range")) {
      select(name, value);
    }
    if (value.indexOf('"') < 0 && value.indexOf('*') < 0) {
      assertEquals(Selection.Kind.NOT_MODIFIED, select("if-none-match", FILE.tag() + "," + value));
    }
  }

  /** What is sent of the file; null: the client wants another version. */
  private static Selection.@Nullable Kind select(String name, String value) {
    Header header = Header.EMPTY.with("range", "bytes=1-2").with(name, value);
    Request request = new Request(false, "/", header, false, true, null);
    try {
      Selection selection = Selection.of(request, FILE, HttpClock.now());
      assertTrue(selection.first() + selection.length() <= FILE.size(), value);
      return selection.kind();
    } catch (Refusal another) {
      return null;
    }
  }

  /** The same bytes are the same requests, in any pieces, and for other parsers, too. */
  static void requests(byte[] bytes) {
    List<String> whole = read(bytes, bytes.length);
    assertEquals(whole, read(bytes, 1));
    assertEquals(whole, read(bytes, 7));
    for (int i = 0; i < whole.size() - 1; i++) {
      assertFalse(whole.get(i).endsWith(CLOSING), "more after the end: " + whole);
    }
    List<String> served = new ArrayList<>(whole);
    served.removeIf(request -> request.endsWith(CLOSING));
    judge(new String(bytes, StandardCharsets.ISO_8859_1), served);
  }

  /**
   * Netty's decoder is the judge: what is let pass is for it the same requests, with these ends.
   */
  private static void judge(String text, List<String> served) {
    HttpDecoderConfig strict =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(HeadReader.MAX_LINE)
            .setMaxHeaderSize(HeadReader.MAX_HEADER)
            .setStrictLineParsing(true)
            .setUseRfc9112TransferEncoding(true);
    EmbeddedChannel channel = new EmbeddedChannel(new HttpRequestDecoder(strict));
    List<String> targets = new ArrayList<>();
    try {
      channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
      String target = "";
      for (HttpObject part = channel.readInbound(); part != null; part = channel.readInbound()) {
        if (part instanceof HttpRequest request) {
          target = request.uri();
        }
        if (part instanceof LastHttpContent && part.decoderResult().isSuccess()) {
          targets.add(target);
        }
        ReferenceCountUtil.release(part);
      }
    } finally {
      channel.finishAndReleaseAll();
    }
    List<String> own = served.stream().map(request -> request.split(" ", 3)[1]).toList();
    assertTrue(own.size() <= targets.size(), () -> own + ", but Netty " + targets + ": " + text);
    assertEquals(targets.subList(0, own.size()), own, text);
  }

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

  private static String describe(Request request) {
    Refusal refusal = request.refusal();
    boolean closing = refusal != null && refusal.isClosing();
    // What else stands in a request that ends the connection depends on where it broke.
    return closing
        ? refusal.status() + CLOSING
        : (request.head() ? "HEAD " : "GET ")
            + request.target()
            + (request.keepAlive() ? " on" : " last")
            + (refusal == null ? "" : " " + refusal.status());
  }
}

package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Mutations;
import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import dev.mely.examples.http.StatusLine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code -Dmely.fuzz.messages} mutated messages, from {@code -Dmely.fuzz.seed} on. Netty's decoders
 * are the judges: what the proxy lets pass they must understand as it does.
 */
@Timeout(300)
class MutatedMessagesTest {
  private static final int MESSAGES = Integer.getInteger("mely.fuzz.messages", 20_000);
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);

  private static final String[] REQUESTS = {
    "GET http://host.example/path?query HTTP/1.1\r\nHost: host.example\r\nAccept: */*\r\n\r\n",
    "HEAD http://h:81/ HTTP/1.1\r\nHost: h\r\nConnection: close, x-a\r\nX-A: 1\r\n\r\n",
    "GET http://[::1]:8080/a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nVia: 1.1 a\r\n\r\n",
    "GET http://h/ HTTP/1.0\r\nPragma: no-cache\r\n\r\n",
    "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n",
    "GET http://h/ HTTP/1.1\r\nHost: h\r\nCache-Control: max-age=1, min-fresh=\"2\"\r\n\r\n"
  };

  private static final String[] RESPONSES = {
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"a\"\r\n\r\n0123456789",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n3\r\nxyz\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"b\" ;c\r\nxyz\r\n0;d=e\r\n\r\n",
    "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nCache-Control: max-age=9\r\n\r\nabc",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
  };

  private static final String[] SPICES = {
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    ":",
    ",",
    "0",
    "Content-Length: 3\r\n",
    "\r\n\r\n",
    "chunked",
    "Transfer-Encoding: chunked\r\n",
    ";a=b",
    "\0",
    "\u00ff",
    "\u0080",
    "\"",
    "-",
    "+",
    "http://",
    "Host: x\r\n",
    "HTTP/1.1",
    "[",
    "%",
    "@",
    "#",
    "ffffffffffffffff",
    "GET ",
    "Connection: close\r\n"
  };

  private static byte[] mutated(String message, SplittableRandom random) {
    return Mutations.of(message, SPICES, random);
  }

  /** What is forwarded is one request without a body, for every reader. */
  @Test
  void requests() {
    System.out.println("mutated requests: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    EmbeddedChannel judge = new EmbeddedChannel(new HttpRequestDecoder()); // of one connection
    int passed = 0;
    for (int i = 0; i < MESSAGES; i++) {
      byte[] bytes = mutated(REQUESTS[random.nextInt(REQUESTS.length)], random);
      Supplier<String> shown = () -> shown(bytes);
      String whole = read(List.of(bytes));
      assertEquals(whole, read(pieces(bytes, random)), shown);
      if (whole.startsWith("GET ") || whole.startsWith("HEAD ")) {
        passed++;
        judge(whole, judge, shown);
      }
    }
    judge.finishAndReleaseAll();
    assertTrue(passed > MESSAGES / 20, "only " + passed + " were let pass");
  }

  /** What the proxy makes of bytes: the request that it sends on, or why it does not. */
  private static String read(List<byte[]> pieces) {
    HeadReader<RequestLine> reader = HeadReader.ofRequests();
    try {
      for (byte[] piece : pieces) {
        reader.feed(ByteBuffer.wrap(piece));
        HeadReader.Head<RequestLine> head = reader.next();
        if (head != null) {
          ProxyRequest request = ProxyRequest.parse(head, "mely");
          if (request.isConnect()) {
            return "connected to " + request.target();
          }
          Header header = request.header().with("Via", "1.1 mely");
          ByteBuffer question = Replies.question(request.method(), request.target(), header);
          return StandardCharsets.ISO_8859_1.decode(question).toString();
        }
      }
      return "more is needed";
    } catch (Malformed wrong) {
      return "malformed";
    } catch (Failure refused) {
      return "refused: " + refused.status() + " " + refused.getMessage();
    }
  }

  private static void judge(String question, EmbeddedChannel judge, Supplier<String> shown) {
    judge.writeInbound(Unpooled.copiedBuffer(question, StandardCharsets.ISO_8859_1));
    HttpRequest request = judge.readInbound();
    assertTrue(request.decoderResult().isSuccess(), shown);
    String[] line = question.substring(0, question.indexOf('\r')).split(" ");
    assertEquals(line[0], request.method().name(), shown);
    assertEquals(line[1], request.uri(), shown);
    assertEquals(1, request.headers().getAll("host").size(), shown);
    assertEquals(List.of("close"), request.headers().getAll("connection"), shown);
    assertNull(request.headers().get("content-length"), shown);
    assertNull(request.headers().get("transfer-encoding"), shown);
    HttpObject last = judge.readInbound();
    assertEquals(LastHttpContent.EMPTY_LAST_CONTENT, last, shown);
    assertNull(judge.readInbound(), () -> "two requests: " + shown.get());
  }

  /**
   * Of a response that the proxy takes for whole, Netty reads the same content, or refuses a chunk:
   * it takes no blank after a chunk's size, as of 4.2.18, and fewer extensions.
   */
  @Test
  void responses() throws Exception {
    System.out.println("mutated responses: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED + 1);
    int whole = 0;
    int refused = 0;
    for (int i = 0; i < MESSAGES / 2; i++) {
      byte[] bytes = mutated(RESPONSES[random.nextInt(RESPONSES.length)], random);
      Supplier<String> shown = () -> shown(bytes);
      byte[] content = content(List.of(bytes));
      assertArrayEquals(content, content(pieces(bytes, random)), shown);
      if (content != null) {
        whole++;
        byte[] judged = judged(bytes, shown);
        if (judged == null) {
          refused++;
        } else {
          assertArrayEquals(content, judged, shown);
        }
      }
    }
    assertTrue(whole > MESSAGES / 40, "only " + whole + " were let pass");
    assertTrue(refused < whole / 50, "Netty refuses " + refused + " of " + whole);
  }

  /** The content of a response that is complete; null: it is not, or malformed. */
  private static byte @Nullable [] content(List<byte[]> pieces) {
    HeadReader<StatusLine> reader = HeadReader.ofResponses();
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    BodyReader body = null;
    try {
      for (byte[] piece : pieces) {
        ByteBuffer bytes = ByteBuffer.wrap(piece);
        while (body == null) {
          reader.feed(bytes);
          HeadReader.Head<StatusLine> head = reader.next();
          if (head == null) {
            break;
          }
          OriginResponse response = OriginResponse.parse(head);
          if (response.status() == 101) {
            return null;
          }
          if (!response.isInterim()) {
            body = response.body(false);
            bytes = reader.rest();
          }
        }
        if (body != null) {
          body.read(
              bytes,
              part -> {
                byte[] some = new byte[part.remaining()];
                part.get(some);
                content.writeBytes(some);
              });
        }
      }
    } catch (Malformed wrong) {
      return null;
    }
    return body != null && body.isComplete() ? content.toByteArray() : null;
  }

  /** The content that Netty reads; null: it refuses a chunk. */
  private static byte @Nullable [] judged(byte[] bytes, Supplier<String> shown) {
    EmbeddedChannel judge = new EmbeddedChannel(new HttpResponseDecoder());
    judge.writeInbound(Unpooled.copiedBuffer(bytes));
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    boolean interim = false;
    for (Object next = judge.readInbound(); next != null; next = judge.readInbound()) {
      if (next instanceof HttpResponse response) {
        assertTrue(
            response.decoderResult().isSuccess(), () -> shown.get() + response.decoderResult());
        interim = response.status().code() < 200;
      }
      if (next instanceof HttpContent part) {
        if (part.decoderResult().isFailure()) {
          judge.finishAndReleaseAll();
          return null;
        }
        ByteBuf some = part.content();
        byte[] copy = new byte[some.readableBytes()];
        some.readBytes(copy);
        content.writeBytes(copy);
        part.release();
      }
      if (next instanceof LastHttpContent && !interim) {
        judge.finishAndReleaseAll();
        return content.toByteArray();
      }
    }
    throw new AssertionError("Netty finds no end: " + shown.get());
  }

  private static List<byte[]> pieces(byte[] bytes, SplittableRandom random) {
    List<byte[]> pieces = new ArrayList<>();
    for (int at = 0; at < bytes.length; ) {
      int end = Math.min(bytes.length, at + 1 + random.nextInt(20));
      pieces.add(java.util.Arrays.copyOfRange(bytes, at, end));
      at = end;
    }
    return pieces;
  }

  private static String shown(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1).replace("\r", "\\r").replace("\0", "\\0");
  }

  /** Over sockets: each is answered, or its connection ended, and those beside it do not notice. */
  @Test
  void requestsOverSockets() throws Exception {
    System.out.println("mutated requests over sockets: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED + 2);
    try (WildOrigin origin =
            WildOrigin.saying(
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nCache-Control: max-age=9\r\n\r\nfine");
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient witness = new HttpClient(proxy.address())) {
      for (int i = 0; i < MESSAGES / 50; i++) {
        String whole =
            REQUESTS[random.nextInt(REQUESTS.length)].replaceAll(
                "http://[^/ ]*", "http://" + origin.authority());
        byte[] bytes = mutated(whole, random);
        try (HttpClient client = new HttpClient(proxy.address())) {
          client.send(bytes);
          client.socket.shutdownOutput();
          String said;
          try {
            byte[] all = client.socket.getInputStream().readAllBytes();
            said = new String(all, StandardCharsets.ISO_8859_1);
          } catch (IOException reset) {
            said = "";
          }
          assertTrue(
              said.isEmpty() || said.matches("(?s)HTTP/1\\.1 (200|[45]\\d\\d) .*"),
              i + " -Dmely.fuzz.seed=" + SEED + "\n" + shown(bytes) + said);
          int body = said.indexOf("\r\n\r\n") + 4;
          if (said.startsWith("HTTP/1.1 200 OK")
              && said.length() > body
              && !whole.startsWith("HEAD")) {
            assertTrue(said.startsWith("fine", body), said);
          }
        }
        if (i % 50 == 0) {
          assertEquals("fine", witness.get("http://" + origin.authority() + "/").text());
        }
      }
      patiently().until(() -> proxy.clients().open() == 1);
      assertEquals(0, proxy.cache.collected());
    }
  }
}

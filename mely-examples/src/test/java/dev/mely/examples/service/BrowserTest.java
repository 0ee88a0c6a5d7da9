package dev.mely.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.chat.ChatProtocol;
import dev.mely.examples.counter.CounterProtocol;
import dev.mely.examples.echo.EchoProtocol;
import dev.mely.examples.kv.KvCommand;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A web page makes a browser that reaches the server post commands to it. The browser's request
 * begins with HTTP: the connection ends, and no command is run.
 */
@Timeout(300)
public class BrowserTest {
  /**
   * What browsers send for a page's {@code fetch(url, {method: "POST", mode: "no-cors", body})} and
   * for its forms, and what other clients send that a page, or an address, can direct.
   *
   * @param body the commands
   */
  public static List<String> requests(String body) {
    String rest =
        """
        Connection: keep-alive\r
        Content-Length: %d\r
        Origin: http://evil.example\r
        Content-Type: %s\r
        User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r
        Accept: */*\r
        Sec-Fetch-Mode: no-cors\r
        \r
        %s""";
    String text = rest.formatted(body.length(), "text/plain;charset=UTF-8", body);
    String form = "field=\r\n" + body;
    String multipart =
        "------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n"
            + "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
            + body
            + "\r\n------WebKitFormBoundary7MA4YWxkTrZu0gW--\r\n";
    String host = "Host: 127.0.0.1:7000\r\n";
    return List.of(
        "POST / HTTP/1.1\r\n" + host + text,
        "POST /a?b=c%20d HTTP/1.1\r\n"
            + host
            + rest.formatted(form.length(), "application/x-www-form-urlencoded", form),
        "POST / HTTP/1.1\r\n"
            + host
            + rest.formatted(
                multipart.length(),
                "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
                multipart),
        "GET / HTTP/1.1\r\n" + host + "\r\n" + body,
        "OPTIONS / HTTP/1.1\r\n" + host + text,
        "PUT /x HTTP/1.1\r\n" + host + text,
        "PATCH /x HTTP/1.1\r\n" + host + text,
        "PROPFIND * HTTP/1.0\r\n" + text,
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + body,
        "post / http/1.1\n" + body,
        host.toLowerCase(java.util.Locale.ROOT) + body,
        "HOST : 127.0.0.1\r\n" + body,
        "\u0016\u0003\u0001\u0001\u0000\u0001\u0000\r\n" + body);
  }

  /**
   * The same, and requests that do not begin as those do, or are longer than any buffer.
   *
   * @param body the commands
   */
  public static List<String> oddRequests(String body) {
    List<String> all = new ArrayList<>(requests(body));
    all.add("\r\n\n\r\nGET /x HTTP/1.1\r\n" + body);
    all.add("get /x http/1.1\n\n" + body);
    all.add("GET /" + "a".repeat(200_000) + " HTTP/1.1\r\n\r\n" + body);
    // A handshake of TLS, with a line feed in its length and commands in its session identifier.
    all.add("\u0016\u0003\u0001\u0001\n\u0001\u0000\u0001\u0006\u0003\u0003\n" + body);
    return all;
  }

  /**
   * Cuts a request into pieces: single bytes, unless it is long.
   *
   * @param request in ISO 8859-1
   */
  public static List<byte[]> pieces(String request) {
    byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
    int size = Math.max(1, bytes.length / 1000);
    List<byte[]> pieces = new ArrayList<>();
    for (int from = 0; from < bytes.length; from += size) {
      pieces.add(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + size)));
    }
    return pieces;
  }

  /** A server, commands, and what shows that nothing of them was done. */
  private enum Subject {
    COUNTER("+\n") {
      @Override
      Server start(Carrier carrier) throws IOException {
        return carrier.start(CounterProtocol::new);
      }

      @Override
      void assertUntouched(Server server) throws IOException {
        try (TextClient client = new TextClient(server.address())) {
          assertEquals("0", client.send("?\n").line());
        }
      }
    },
    CHAT("evil\nI was here\n") {
      private TextClient listener;

      @Override
      Server start(Carrier carrier) throws IOException {
        Server server = carrier.start(ChatProtocol::new);
        listener = new TextClient(server.address());
        assertEquals("* name has come, 1 here", listener.send("name\n").line());
        return server;
      }

      @Override
      void assertUntouched(Server server) throws IOException {
        assertEquals("* here: name", listener.send("/who\n").line());
      }

      @Override
      void end() throws IOException {
        listener.close();
      }
    },
    KV("SET evil 1\r\n") {
      @Override
      Server start(Carrier carrier) throws IOException {
        return carrier.serve(KvCommand::protocol, 10_000, 0, Duration.ZERO);
      }

      @Override
      void assertUntouched(Server server) throws IOException {
        try (TextClient client = new TextClient(server.address())) {
          assertEquals("$-1", client.send("GET evil\n").line());
        }
      }
    },
    ECHO("HTTP/1.1 200 OK\r\n\r\n<script>") {
      @Override
      Server start(Carrier carrier) throws IOException {
        return carrier.start(shared -> new EchoProtocol());
      }

      @Override
      void assertUntouched(Server server) {}
    };

    final String commands;

    Subject(String commands) {
      this.commands = commands;
    }

    abstract Server start(Carrier carrier) throws IOException;

    abstract void assertUntouched(Server server) throws IOException;

    void end() throws IOException {}
  }

  static Stream<Arguments> servers() {
    return Stream.of(Subject.values())
        .flatMap(s -> Stream.of(Carrier.values()).map(c -> Arguments.of(s, c)));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aPageHasNothingDone(Subject subject, Carrier carrier) throws Exception {
    try (Server server = subject.start(carrier)) {
      for (String request : requests(subject.commands)) {
        // Alone, and with commands before it in the same piece.
        for (String sent :
            List.of(request, subject == Subject.ECHO ? request : before(subject) + request)) {
          try (TextClient client = new TextClient(server.address())) {
            String said = client.send(sent.getBytes(StandardCharsets.ISO_8859_1)).line();
            String refusal =
                switch (subject) {
                  case COUNTER, CHAT -> "error: this is HTTP";
                  case KV -> "-ERR Protocol error: this is HTTP";
                  case ECHO -> null;
                };
            assertEquals(refusal, said, sent);
            assertNull(client.line(), sent);
          } catch (SocketException reset) {
            // An end, too.
          }
          subject.assertUntouched(server);
        }
      }
    } finally {
      subject.end();
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void norInPieces(Subject subject, Carrier carrier) throws Exception {
    try (Server server = subject.start(carrier)) {
      for (String request : oddRequests(subject.commands)) {
        try (TextClient client = new TextClient(server.address())) {
          for (byte[] piece : pieces(request)) {
            client.send(piece);
          }
          client.endOutput().bytes(Integer.MAX_VALUE);
        } catch (SocketException reset) {
          // An end, too.
        }
        subject.assertUntouched(server);
      }
    } finally {
      subject.end();
    }
  }

  /** Without a network, which may put pieces together again. */
  @Test
  void aLineInPiecesIsRecognized() {
    for (String request : oddRequests("+\n")) {
      Lines lines = new Lines(64);
      List<String> complete = new ArrayList<>();
      assertThrows(
          Lines.Refused.class,
          () -> {
            for (byte[] piece : pieces(request)) {
              lines.take(ByteBuffer.wrap(piece), complete);
            }
          },
          request);
      assertFalse(complete.contains("+"), request);
    }
  }

  private static String before(Subject subject) {
    return subject.commands;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello",
        "HTTP/1.1",
        "what is HTTP/1.1?",
        "the host: nobody",
        "hostname: x",
        "GET /",
        "+",
        ""
      })
  void otherLinesAreNotHttp(String line) {
    assertFalse(Http.isLine(line));
  }

  @Test
  void aLongLineTakesLinearTime() {
    assertFalse(Http.isLine("a ".repeat(1 << 15)));
    assertFalse(Http.isLine(" ".repeat(1 << 16)));
    assertFalse(Http.isLine("a HTTP/1".repeat(1 << 13) + "x"));
    assertTrue(Http.isLine("GET /" + "a".repeat(1 << 16) + " HTTP/1.1"));
  }
}

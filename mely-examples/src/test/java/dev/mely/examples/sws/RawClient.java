package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends what it is told to, byte for byte, and reads responses one by one. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 120_000;

  private final Socket socket = new Socket();
  private final PushbackInputStream in;

  RawClient(WebServer server) throws IOException {
    this(server, 0);
  }

  /** Connects with a receive buffer of this size; 0: the default. */
  RawClient(WebServer server, int receiveBuffer) throws IOException {
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    InetSocketAddress address = server.address();
    socket.connect(address, PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in =
        new PushbackInputStream(
            new BufferedInputStream(socket.getInputStream(), receiveBuffer > 0 ? 1 : 64 * 1024));
  }

  /** A response as it came. */
  record Response(int status, Map<String, String> headers, byte[] body) {
    String header(String name) {
      return headers.get(name.toLowerCase(Locale.ROOT));
    }

    boolean has(String name) {
      return headers.containsKey(name.toLowerCase(Locale.ROOT));
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  static String get(String target, String... headers) {
    return request("GET", target, headers);
  }

  static String request(String method, String target, String... headers) {
    StringBuilder request = new StringBuilder();
    request.append(method).append(' ').append(target).append(" HTTP/1.1\r\nHost: test\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    return request.append("\r\n").toString();
  }

  /** Sends characters as bytes of the same value. */
  RawClient send(String request) throws IOException {
    return send(request.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Ends a small receive buffer's throttling. */
  RawClient widen() throws IOException {
    socket.setReceiveBufferSize(1024 * 1024);
    return this;
  }

  /** Ends the output; the input stays open. */
  RawClient endOutput() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Closes the connection with a reset. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  Response read() throws IOException {
    return read(false);
  }

  /** Reads the response to a HEAD request. */
  Response readHead() throws IOException {
    return read(true);
  }

  private Response read(boolean head) throws IOException {
    String status = line();
    assertTrue(status.startsWith("HTTP/1.1 "), status);
    int code = Integer.parseInt(status.substring(9, 12));
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      String old =
          headers.put(
              line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      assertEquals(null, old, "sent twice: " + line);
    }
    boolean empty = head || code < 200 || code == 304;
    int length = empty ? 0 : Integer.parseInt(headers.get("content-length"));
    return new Response(code, headers, bytes(length));
  }

  byte[] bytes(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    assertEquals(count, bytes.length, "bytes before the end");
    return bytes;
  }

  /** Puts back a byte that was read by {@link #bytes}. */
  void pushBack(int b) throws IOException {
    in.unread(b);
  }

  /** Waits until the server closes the connection; false: it sends something first. */
  boolean isEnded() throws IOException {
    return in.read() < 0;
  }

  /** All that comes before the server closes the connection, a character for each byte. */
  String rest() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("ended after: " + line);
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

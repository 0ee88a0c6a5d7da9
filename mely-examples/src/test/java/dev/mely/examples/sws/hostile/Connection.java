package dev.mely.examples.sws.hostile;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** One TCP connection that sends what it is told, byte for byte, and reads what comes. */
public final class Connection implements AutoCloseable {
  /** Longer than a good server needs for anything, also on a loaded machine. */
  static final int PATIENCE_MILLIS = 120_000;

  private final Socket socket = new Socket();
  private final InputStream in;

  Connection(InetSocketAddress server) throws IOException {
    this(server, 0);
  }

  /** Connects with a receive buffer of this size; 0: the default. */
  Connection(InetSocketAddress server, int receiveBuffer) throws IOException {
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(server, PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream(), receiveBuffer > 0 ? 1 : 16 * 1024);
  }

  /** A response as it came. */
  record Response(int status, Map<String, String> headers, byte[] body) {
    String header(String name) {
      return headers.getOrDefault(name, "");
    }

    String text() {
      return new String(body, StandardCharsets.ISO_8859_1);
    }
  }

  static String get(String target, String... headers) {
    return request("GET", target, headers);
  }

  static String request(String method, String target, String... headers) {
    StringBuilder request = new StringBuilder(method + ' ' + target + " HTTP/1.1\r\nHost: h\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    return request.append("\r\n").toString();
  }

  Connection send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Gives up waiting for the server sooner than usual. */
  void patience(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  Response read(boolean head) throws IOException {
    String status = line();
    if (!status.matches("HTTP/1\\.1 [1-5][0-9][0-9]( .*)?")) {
      throw new IOException("not a status line: " + status);
    }
    int code = Integer.parseInt(status.substring(9, 12));
    Map<String, String> headers = new HashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    boolean empty = head || code < 200 || code == 204 || code == 304;
    int length = empty ? 0 : Integer.parseInt(headers.getOrDefault("content-length", "-1"));
    byte[] body = length < 0 ? in.readAllBytes() : in.readNBytes(length);
    if (length >= 0 && body.length != length) {
      throw new EOFException("ended after " + body.length + " of " + length + " bytes");
    }
    return new Response(code, headers, body);
  }

  /** The next byte; -1 at the end. */
  int next() throws IOException {
    return in.read();
  }

  /** All that comes until the server ends the connection, a reset included. */
  String rest() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      in.transferTo(all);
    } catch (java.net.SocketTimeoutException never) {
      throw never;
    } catch (IOException reset) {
      // As good an end as any.
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("ended after '" + line + "'");
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

package dev.mely.examples.proxy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A client that sends what it is told to and reads responses by rules of its own. */
final class HttpClient implements AutoCloseable {
  static final int PATIENCE_MILLIS = 120_000;

  /**
   * A response.
   *
   * @param status its code
   * @param fields its header, names in lower case, repeated ones joined by commas
   * @param body as much as has come
   * @param whole whether that is all, as the response itself says
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Reply(int status, Map<String, String> fields, byte[] body, boolean whole) {
    String text() {
      return new String(body, StandardCharsets.ISO_8859_1);
    }

    String field(String name) {
      return fields.getOrDefault(name, "");
    }

    boolean isHit() {
      return field("cache-status").contains("; hit");
    }

    boolean isOpen() {
      return whole && !field("connection").equalsIgnoreCase("close");
    }
  }

  final Socket socket = new Socket();
  private final InputStream in;

  HttpClient(InetSocketAddress proxy) throws IOException {
    this(proxy, 0);
  }

  HttpClient(InetSocketAddress proxy, int receiveBuffer) throws IOException {
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(proxy, PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
  }

  HttpClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  HttpClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Asks for a URL and reads the response. */
  Reply get(String url, String... fields) throws IOException {
    return ask("GET", url, fields);
  }

  Reply ask(String method, String url, String... fields) throws IOException {
    StringBuilder text = new StringBuilder(method).append(' ').append(url);
    text.append(" HTTP/1.1\r\nHost: ignored.example\r\n");
    for (String field : fields) {
      text.append(field).append("\r\n");
    }
    send(text.append("\r\n").toString());
    return read(method.equals("HEAD"));
  }

  /** The next response that is not interim. */
  Reply read(boolean toHead) throws IOException {
    Reply reply;
    do {
      reply = readOne(toHead);
    } while (reply.status() < 200);
    return reply;
  }

  /** The next response, interim or not. */
  Reply readOne(boolean toHead) throws IOException {
    String line = line();
    if (line == null || !line.matches("HTTP/1\\.1 \\d{3} [^\r\n]*")) {
      throw new IOException("no status line: " + line);
    }
    int status = Integer.parseInt(line.substring(9, 12));
    Map<String, String> fields = new TreeMap<>();
    for (line = line(); line != null && !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      fields.merge(
          line.substring(0, colon).toLowerCase(Locale.ROOT),
          line.substring(colon + 1).strip(),
          (a, b) -> a + ", " + b);
    }
    if (line == null) {
      throw new IOException("a header that does not end");
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    boolean whole = true;
    if (!toHead && status >= 200 && status != 204 && status != 304) {
      try {
        whole = readBody(fields, body);
      } catch (SocketTimeoutException e) {
        throw new AssertionError("neither all nor an end", e);
      } catch (IOException reset) {
        whole = false;
      }
    }
    return new Reply(status, fields, body.toByteArray(), whole);
  }

  private boolean readBody(Map<String, String> fields, ByteArrayOutputStream body)
      throws IOException {
    String length = fields.get("content-length");
    if ("chunked".equals(fields.get("transfer-encoding"))) {
      if (length != null) {
        throw new AssertionError("two lengths: " + fields);
      }
      while (true) {
        String line = line();
        if (line == null) {
          return false;
        }
        int size = Integer.parseInt(line, 16);
        if (size == 0) {
          return "".equals(line());
        }
        if (!take(size, body) || !"".equals(line())) {
          return false;
        }
      }
    }
    if (length != null) {
      return take(Integer.parseInt(length), body);
    }
    in.transferTo(body);
    return true;
  }

  private boolean take(int size, ByteArrayOutputStream body) throws IOException {
    for (int left = size; left > 0; ) {
      byte[] piece = new byte[Math.min(left, 16 * 1024)];
      int n = in.read(piece);
      if (n < 0) {
        return false;
      }
      body.write(piece, 0, n);
      left -= n;
    }
    return true;
  }

  private @Nullable String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      int c = in.read();
      if (c < 0) {
        return null;
      }
      if (c == '\n') {
        String text = line.toString(StandardCharsets.ISO_8859_1);
        if (!text.endsWith("\r")) {
          throw new AssertionError("a bare line feed");
        }
        return text.substring(0, text.length() - 1);
      }
      line.write(c);
    }
  }

  /** Whether the proxy has ended the connection. */
  boolean isEnded() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException reset) {
      return true;
    }
  }

  byte[] bytes(int count) throws IOException {
    return in.readNBytes(count);
  }

  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

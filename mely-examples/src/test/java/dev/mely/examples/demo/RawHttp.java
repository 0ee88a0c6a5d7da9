package dev.mely.examples.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Requests as nobody else would make them. */
final class RawHttp {
  private static final int PATIENCE_MILLIS = 60_000;

  private RawHttp() {}

  /** Connects, and sends a text. */
  static Socket send(int port, String text) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  /** Returns all that is answered until the connection ends. */
  static String exchange(int port, String text) throws IOException {
    try (Socket socket = send(port, text)) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** A request that sets something. */
  static String post(String headers, String body) {
    return "POST /settings HTTP/1.1\r\n"
        + headers
        + "Content-Length: "
        + body.getBytes(StandardCharsets.UTF_8).length
        + "\r\n\r\n"
        + body;
  }
}

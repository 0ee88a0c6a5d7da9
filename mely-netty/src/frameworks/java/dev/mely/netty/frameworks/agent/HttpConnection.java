package dev.mely.netty.frameworks.agent;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Callable;

/** A connection that is kept alive. */
final class HttpConnection implements Callable<String> {
  private final Socket socket;
  private final BufferedReader in;

  HttpConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  /** The body of the answer, which is of ASCII characters. */
  @Override
  public String call() throws IOException {
    socket
        .getOutputStream()
        .write("GET /burn HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    String status = in.readLine();
    if (!status.contains(" 200")) {
      throw new IOException(status);
    }
    int length = 0;
    for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring("content-length:".length()).strip());
      }
    }
    char[] body = new char[length];
    for (int read = 0; read < length; ) {
      read += in.read(body, read, length - read);
    }
    return new String(body);
  }
}

package dev.mely.examples.kv;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A client that waits for its answers, written from the protocol's description alone. Answers come
 * as text: {@code +OK}, {@code -ERR ...}, {@code :1}, {@code "abc"}, {@code nil}, {@code [a, b]};
 * bytes are Latin-1.
 */
final class RespClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 120_000;

  private final Socket socket = new Socket();
  private final InputStream in;

  RespClient(InetSocketAddress server) throws IOException {
    this(server, 0);
  }

  /** With a receive buffer of this size; 0: the default. */
  RespClient(InetSocketAddress server, int receiveBuffer) throws IOException {
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(server, PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
  }

  /** A command as it is sent. */
  static String command(String... words) {
    StringBuilder all = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      all.append("$" + word.length() + "\r\n").append(word).append("\r\n");
    }
    return all.toString();
  }

  /** Sends a line of words, and returns the answer. */
  String ask(String line) throws IOException {
    return call(line.split(" "));
  }

  String call(String... words) throws IOException {
    return send(words).answer();
  }

  RespClient send(String... words) throws IOException {
    return raw(command(words));
  }

  RespClient raw(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  /** Many commands in one piece, then all answers. */
  List<String> pipeline(List<String[]> commands) throws IOException {
    raw(commands.stream().map(RespClient::command).collect(Collectors.joining()));
    return answers(commands.size());
  }

  String answer() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+', '-', ':' -> line;
      case '$' -> rest.equals("-1") ? "nil" : '"' + bulk(Integer.parseInt(rest)) + '"';
      case '*' -> answers(Integer.parseInt(rest)).toString();
      default -> throw new IOException("no answer begins like this: " + line);
    };
  }

  private List<String> answers(int count) throws IOException {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(answer());
    }
    return all;
  }

  private String bulk(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || !line().isEmpty()) {
      throw new EOFException("a string has no end");
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the server has ended the connection");
      }
      line.append((char) b);
    }
    if (in.read() != '\n') {
      throw new IOException("a line has no end");
    }
    return line.toString();
  }

  /** Whether the server has ended the connection, once it has. */
  boolean isEnded() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

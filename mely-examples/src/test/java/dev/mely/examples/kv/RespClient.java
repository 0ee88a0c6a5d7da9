package dev.mely.examples.kv;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

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

  /** With a receive buffer of so many bytes; 0: the default. */
  RespClient(InetSocketAddress server, int receiveBuffer) throws IOException {
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(server, PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
  }

  /** A command as bytes. */
  static byte[] command(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.ISO_8859_1);
      out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      out.writeBytes(bytes);
      out.writeBytes(new byte[] {'\r', '\n'});
    }
    return out.toByteArray();
  }

  /** Sends a line of words, and returns the answer. */
  String ask(String line) throws IOException {
    return call(line.split(" "));
  }

  String call(String... words) throws IOException {
    send(words);
    return answer();
  }

  RespClient send(String... words) throws IOException {
    return raw(command(words));
  }

  RespClient raw(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  RespClient raw(String bytes) throws IOException {
    return raw(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Many commands in one piece, then all answers. */
  List<String> pipeline(List<String[]> commands) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    commands.forEach(words -> all.writeBytes(command(words)));
    raw(all.toByteArray());
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < commands.size(); i++) {
      answers.add(answer());
    }
    return answers;
  }

  // ---- Answers

  String answer() throws IOException {
    String line = line();
    char kind = line.charAt(0);
    String rest = line.substring(1);
    return switch (kind) {
      case '+', '-', ':' -> line;
      case '$' -> rest.equals("-1") ? "nil" : '"' + bulk(Integer.parseInt(rest)) + '"';
      case '*' -> list(Integer.parseInt(rest));
      default -> throw new IOException("no answer begins like this: " + line);
    };
  }

  private String list(int count) throws IOException {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(answer());
    }
    return "[" + String.join(", ", all) + "]";
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
    } catch (java.net.SocketException reset) {
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

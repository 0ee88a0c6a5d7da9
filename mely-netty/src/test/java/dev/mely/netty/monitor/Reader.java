package dev.mely.netty.monitor;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client of the monitor over a plain socket, so that it may send whatever it likes. */
final class Reader implements Closeable {
  private static final int PATIENCE_MILLIS = 120_000;

  private final Socket socket;
  private final BufferedReader lines;

  Reader(InetSocketAddress address) throws IOException {
    socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
  }

  /** The whole answer to a request; the server ends the connection. */
  static String get(InetSocketAddress address, String uri, String... headers) throws IOException {
    try (Reader reader = new Reader(address)) {
      reader.send(
          "GET " + uri + " HTTP/1.1\r\nHost: localhost\r\n" + String.join("", headers) + "\r\n");
      return reader.rest();
    }
  }

  /** The figures of the next second. */
  static JsonObject state(InetSocketAddress address) throws IOException {
    String answer = get(address, "/state.json");
    return JsonParser.parseString(answer.substring(answer.indexOf("\r\n\r\n"))).getAsJsonObject();
  }

  /** The figures of the only group. */
  static JsonObject group(InetSocketAddress address) throws IOException {
    return state(address).getAsJsonArray("groups").get(0).getAsJsonObject();
  }

  static double number(JsonElement object, String name) {
    return object.getAsJsonObject().get(name).getAsDouble();
  }

  void send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Null: the server has ended the connection. */
  String line() throws IOException {
    return lines.readLine();
  }

  /** Everything to the end of the connection. */
  String rest() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int c = lines.read(); c >= 0; c = lines.read()) {
      text.append((char) c);
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

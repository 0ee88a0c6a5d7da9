package dev.mely.examples.service;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A client that sends what it is told to, and reads line by line. */
public final class TextClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 120_000;

  private final Socket socket = new Socket();
  private final InputStream in;
  private @Nullable BufferedReader lines;

  public TextClient(InetSocketAddress server) throws IOException {
    this(server, 0);
  }

  /** Connects with a receive buffer of this size; 0: the default. */
  public TextClient(InetSocketAddress server, int receiveBuffer) throws IOException {
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(server, PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
  }

  public TextClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  public TextClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** The next line; null: the server has ended the connection. */
  public @Nullable String line() throws IOException {
    BufferedReader reader = lines;
    if (reader == null) {
      reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      lines = reader;
    }
    return reader.readLine();
  }

  /** Reads this many bytes, or less at the end of the input. */
  public byte[] bytes(int count) throws IOException {
    return in.readNBytes(count);
  }

  /** Ends the output; the input stays open. */
  public TextClient endOutput() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Closes the connection with a reset. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Closes the connection before its time. */
  public void leave() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

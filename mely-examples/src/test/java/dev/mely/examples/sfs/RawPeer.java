package dev.mely.examples.sfs;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;

/** A client over a blocking socket that sends what it is told, sensible or not. */
final class RawPeer implements AutoCloseable {
  final Socket socket;
  private final DataInputStream in;
  private Sealer sealer;
  private Opener opener;

  RawPeer(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) SfsSite.PATIENCE.toMillis());
    in = new DataInputStream(socket.getInputStream());
  }

  /** Goes through all steps, and takes the welcome. */
  void handshake(Identity self, PublicId server) throws IOException {
    ClientHandshake handshake = new ClientHandshake(self, server, RekeyRule.DEFAULT);
    for (byte[] record : handshake.start()) {
      send(record);
    }
    while (!handshake.isComplete()) {
      for (byte[] record : handshake.take(body())) {
        send(record);
      }
    }
    sealer = handshake.sealer();
    opener = handshake.opener();
    byte[] welcome = message();
    if (Message.code(welcome) != Message.WELCOME) {
      throw new IOException("not welcome");
    }
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Encrypts a message as the session's next. */
  byte[] seal(byte[] message) {
    return sealer.seal(message);
  }

  void sendMessage(byte[] message) throws IOException {
    send(seal(message));
  }

  /** The body of the next record. */
  byte[] body() throws IOException {
    byte[] body = new byte[in.readInt()];
    in.readFully(body);
    return body;
  }

  /** The next message. */
  byte[] message() throws IOException {
    while (!opener.isClosed()) {
      byte[] body = body();
      byte[] message = opener.open(body, 0, body.length);
      if (message != null) {
        return message;
      }
    }
    throw new EOFException("the server has said that nothing more comes");
  }

  /** Reads until the server ends the connection; a reset is an end, too. */
  boolean isEnded() throws IOException {
    byte[] rest = new byte[1 << 16];
    try {
      while (in.read(rest) >= 0) {
        // What was sent before the end is of no interest.
      }
      return true;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

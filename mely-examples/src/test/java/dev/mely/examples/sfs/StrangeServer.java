package dev.mely.examples.sfs;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.UnaryOperator;

/** A server for one client, over a blocking socket, that answers what the test says. */
final class StrangeServer implements AutoCloseable {
  final Identity identity = Identity.generate();
  private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

  /**
   * Starts it.
   *
   * @param answers from the request, with the number that it must have; null: none
   */
  StrangeServer(UnaryOperator<byte[]> answers) throws IOException {
    Thread thread = new Thread(() -> serve(answers), "strange-server");
    thread.setDaemon(true);
    thread.start();
  }

  SfsClient connect(SfsSite site) throws IOException {
    RemotePath path = new RemotePath(identity.id(), "127.0.0.1", listening.getLocalPort(), "");
    return SfsClient.connect(site.nio, path, site.reader, RekeyRule.DEFAULT, SfsSite.PATIENCE);
  }

  private void serve(UnaryOperator<byte[]> answers) {
    try (Socket socket = listening.accept()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      ServerHandshake handshake = new ServerHandshake(identity, RekeyRule.DEFAULT);
      while (!handshake.isComplete()) {
        for (byte[] record : handshake.take(body(in))) {
          socket.getOutputStream().write(record);
        }
      }
      byte[] welcome = Message.unasked(Message.WELCOME).u8(0).u32(1).u32(Message.MAX_DATA).bytes();
      socket.getOutputStream().write(handshake.sealer().seal(welcome));
      while (!handshake.opener().isClosed()) {
        byte[] body = body(in);
        byte[] request = handshake.opener().open(body, 0, body.length);
        byte[] answer = request == null ? null : answers.apply(request);
        if (answer != null) {
          Message.number(answer, Message.number(request));
          socket.getOutputStream().write(handshake.sealer().seal(answer));
        }
      }
    } catch (IOException ended) {
      // By the client.
    }
  }

  private static byte[] body(DataInputStream in) throws IOException {
    byte[] body = new byte[in.readInt()];
    in.readFully(body);
    return body;
  }

  @Override
  public void close() throws IOException {
    listening.close(); // its thread ends when its client has
  }
}

package dev.mely.examples.sfs;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A man in the middle, who sees every record and may modify it. He knows where records begin and
 * end, but not their contents.
 */
final class Between implements AutoCloseable {
  /** What becomes of the records of a connection. */
  interface Evil {
    /**
     * Handles one record.
     *
     * @param toServer the direction
     * @param number of the record in its direction, from 0
     * @param record with its header
     * @return what to pass on instead; null: cut the connection
     */
    List<byte[]> pass(boolean toServer, int number, byte[] record);
  }

  private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final int server;
  private volatile Evil evil = (toServer, number, record) -> List.of(record);

  Between(int server) throws IOException {
    this.server = server;
    start(
        () -> {
          while (true) {
            Socket client = socket.accept();
            Socket there = new Socket("127.0.0.1", server());
            client.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(there);
            Evil what = evil;
            start(() -> relay(client, there, true, what));
            start(() -> relay(there, client, false, what));
          }
        });
  }

  private int server() {
    return server;
  }

  int port() {
    return socket.getLocalPort();
  }

  /** For the connections to come. */
  void does(Evil newEvil) {
    evil = newEvil;
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException end) {
                // A connection has ended, or all of it.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private static void relay(Socket from, Socket to, boolean toServer, Evil evil)
      throws IOException {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(from.getInputStream());
      OutputStream out = to.getOutputStream();
      for (int number = 0; ; number++) {
        int length;
        try {
          length = in.readInt();
        } catch (EOFException end) {
          to.shutdownOutput();
          while (!from.isClosed() && !to.isClosed() && !to.isInputShutdown()) {
            Thread.sleep(20); // the other direction closes both
          }
          return;
        }
        ByteBuffer record = ByteBuffer.allocate(4 + length).putInt(length);
        in.readFully(record.array(), 4, length);
        List<byte[]> passed = evil.pass(toServer, number, record.array());
        if (passed == null) {
          return;
        }
        for (byte[] bytes : passed) {
          out.write(bytes);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    for (Socket one : sockets) {
      one.close();
    }
  }
}

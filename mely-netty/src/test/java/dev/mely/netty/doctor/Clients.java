package dev.mely.netty.doctor;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;

/**
 * Connections to a {@link BusyServer}, each with a thread that asks for the next answer at once.
 */
final class Clients implements AutoCloseable {
  private final List<Socket> sockets = new ArrayList<>();
  private final AtomicLong answers = new AtomicLong();

  /**
   * Connects, one after the other.
   *
   * @param port of the server
   * @param connections number
   * @param busy which of them, from 0, ask
   */
  Clients(int port, int connections, IntPredicate busy) throws IOException {
    for (int i = 0; i < connections; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      sockets.add(socket);
      socket.setTcpNoDelay(true);
      exchange(socket); // it has its loop
    }
    for (int i = 0; i < connections; i++) {
      if (busy.test(i)) {
        Socket socket = sockets.get(i);
        Thread thread = new Thread(() -> exchangeUntilClosed(socket), "client-" + i);
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  /** Waits for another answer: the program goes on. */
  void awaitAnswer() {
    long before = answers.get();
    await().until(() -> answers.get() > before);
  }

  private void exchangeUntilClosed(Socket socket) {
    try {
      while (!socket.isClosed()) {
        exchange(socket);
        answers.incrementAndGet();
      }
    } catch (IOException e) {
      if (!socket.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void exchange(Socket socket) throws IOException {
    socket.getOutputStream().write('b');
    if (socket.getInputStream().read() < 0) {
      throw new IOException("the server closed the connection");
    }
  }

  @Override
  public void close() throws IOException {
    disconnect();
  }

  void disconnect() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}

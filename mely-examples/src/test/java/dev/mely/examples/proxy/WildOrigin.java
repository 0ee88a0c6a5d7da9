package dev.mely.examples.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An origin that does to each request what its test says; a thread for each connection. */
final class WildOrigin implements AutoCloseable {
  /** What is done to a request. */
  @FunctionalInterface
  interface Manner {
    void answer(Asked asked, Socket socket) throws Exception;
  }

  /**
   * A request as it came.
   *
   * @param line its first line
   * @param fields its header, names in lower case, repeated ones joined by commas
   * @param text all of its head
   */
  record Asked(String line, Map<String, String> fields, String text) {
    String path() {
      return line.split(" ")[1];
    }

    @Nullable String field(String name) {
      return fields.get(name);
    }
  }

  private final ServerSocket listener;
  private final Manner manner;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger requests = new AtomicInteger();
  private final Queue<Asked> log = new ConcurrentLinkedQueue<>();
  private final java.util.Set<Socket> open = ConcurrentHashMap.newKeySet();

  WildOrigin(Manner manner) throws IOException {
    this.manner = manner;
    listener = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  /** One that says the same to everybody, and then closes. */
  static WildOrigin saying(String response) throws IOException {
    return new WildOrigin((asked, socket) -> send(socket, response));
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /** Its name and port, as they stand in URLs. */
  String authority() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  int requests() {
    return requests.get();
  }

  /** All requests so far, in the order in which they came. */
  Asked[] log() {
    return log.toArray(Asked[]::new);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        threads.execute(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      Asked asked = read(socket.getInputStream());
      if (asked != null) {
        log.add(asked);
        requests.incrementAndGet();
        manner.answer(asked, socket);
      }
    } catch (Exception gone) {
      // By the proxy, which has had enough; or the test is over.
    } finally {
      open.remove(socket);
    }
  }

  private static @Nullable Asked read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      int n = in.read(buffer);
      if (n < 0) {
        return null;
      }
      head.write(buffer, 0, n);
      text = head.toString(StandardCharsets.ISO_8859_1);
    }
    String[] lines = text.split("\r\n");
    Map<String, String> fields = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      fields.merge(
          lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
          lines[i].substring(colon + 1).strip(),
          (a, b) -> a + ", " + b);
    }
    return new Asked(lines[0], fields, text);
  }

  static void send(Socket socket, String text) throws IOException {
    send(socket, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  static void send(Socket socket, byte[] bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(bytes);
    out.flush();
  }

  /** Waits until the other side has ended the connection. */
  static void awaitEnd(Socket socket) throws IOException {
    while (socket.getInputStream().read() >= 0) {
      // whatever it is
    }
  }

  /** Ends a connection by a reset. */
  static void reset(Socket socket) throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    stop();
  }

  /** Closes all that is open. */
  void stop() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
    threads.shutdownNow();
  }
}

package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.nio.Nio;
import dev.mely.nio.Operation;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** docs/core.md: its pieces of Java about channels, signals and files. See {@link SnippetsTest}. */
@Timeout(300)
class NioGuideTest {
  private static final int ANY_PORT = 0;

  final class PoliteEcho {
    private static final Handler<PoliteEcho> READ = Handler.of(PoliteEcho::read);
    private static final Handler<PoliteEcho> SENT = Handler.of(PoliteEcho::sent);

    private final SocketChannel channel;
    private final Source in;
    private final Output out;

    PoliteEcho(Nio nio, SocketChannel channel) throws IOException {
      this.channel = channel;
      Color color = nio.mely().newColor();
      in = nio.readable(channel, color, READ, this);
      out = nio.output(channel, color, SENT, this);
      in.resume();
    }

    private void read() throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(4096);
      if (channel.read(bytes) < 0) {
        channel.close();
        return;
      }
      out.write(bytes.flip()); // the output's from here on
      if (!out.flush()) {
        in.pause();
      }
    }

    private void sent() throws IOException { // what had to wait has left, or the client has
      if (out.flush()) {
        in.resume();
      }
    }
  }

  /** More than the sockets hold comes back to a client that begins to read late. */
  @Test
  void thePoliteServerEchoes() throws Exception {
    try (Nio nio = Nio.start(Mely.builder());
        ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), ANY_PORT));
      server.configureBlocking(false);
      Color accepting = nio.mely().newColor();
      nio.accept(server, accepting, Handler.of(client -> new PoliteEcho(nio, client))).resume();
      byte[] sent = new byte[20_000_000];
      new SplittableRandom(1).nextBytes(sent);
      try (Socket client = new Socket()) {
        client.connect(server.getLocalAddress());
        client.setSoTimeout(120_000);
        Thread sender =
            new Thread(
                () -> {
                  try {
                    client.getOutputStream().write(sent);
                  } catch (IOException e) {
                    // The reader will say so.
                  }
                });
        sender.start();
        sender.join(300);
        assertArrayEquals(sent, client.getInputStream().readNBytes(sent.length));
        sender.join();
      }
    }
  }

  @Test
  void theServerEchoes() throws Exception {
    int port = ANY_PORT;
    try (Nio nio = Nio.start(Mely.builder());
        ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      server.configureBlocking(false);
      Color accepting = nio.mely().newColor();
      nio.accept(server, accepting, Handler.of(client -> new PoliteEcho(nio, client))).resume();
      untilToldToStop(server); // the workers do all the rest
    }
  }

  /** A client comes and goes. */
  private static void untilToldToStop(ServerSocketChannel server) throws IOException {
    int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      client.setSoTimeout(120_000);
      client.getOutputStream().write(new byte[] {1, 2, 3});
      for (int i = 1; i <= 3; i++) {
        assertEquals(i, client.getInputStream().read());
      }
      client.shutdownOutput();
      assertEquals(-1, client.getInputStream().read());
    }
  }

  @Test
  void aNameIsLookedUpAndConnectedTo() throws Exception {
    BlockingQueue<SocketChannel> channels = new LinkedBlockingQueue<>();
    try (ServerSocketChannel server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getByName("localhost"), ANY_PORT));
        Nio nio = Nio.start(Mely.builder())) {
      int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
      Color color = nio.mely().newColor();
      Handler<Operation<SocketChannel>> connected = Handler.of(done -> channels.add(done.get()));
      nio.lookup(
          "localhost",
          color,
          Handler.of(
              found ->
                  nio.connect(new InetSocketAddress(found.get().get(0), port), color, connected)));
      try (SocketChannel channel = channels.take()) {
        assertTrue(channel.isConnected());
      }
    }
  }

  @Test
  void aFileIsRead(@TempDir Path folder) throws Exception {
    Path path = Files.writeString(folder.resolve("seven"), "7 bytes");
    ByteBuffer buffer = ByteBuffer.allocate(10);
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    try (FileChannel file = FileChannel.open(path);
        Nio nio = Nio.start(Mely.builder())) {
      Color color = nio.mely().newColor();
      Handler<Operation<Integer>> filled = Handler.of(done -> lines.add(done.get() + " bytes"));
      nio.read(file, buffer, 0, color, filled);
      assertEquals("7 bytes", lines.take());
      nio.call(() -> Files.size(path), color, Handler.of(size -> lines.add("size " + size.get())));
      assertEquals("size 7", lines.take());
    }
  }

  @Test
  void aSignalReloadsTheConfiguration() throws Exception {
    BlockingQueue<String> loaded = new LinkedBlockingQueue<>();
    Handler<String> reload = Handler.of(loaded::add);
    String configuration = "configuration";
    try (Nio nio = Nio.start(Mely.builder())) {
      Color color = nio.mely().newColor();
      Source hangUp = nio.signal("HUP", color, reload, configuration).resume();
      new ProcessBuilder("kill", "-HUP", Long.toString(ProcessHandle.current().pid()))
          .inheritIO()
          .start()
          .waitFor();
      if (!startedByNohup()) {
        assertEquals("configuration", loaded.take());
      }
      assertTrue(hangUp.cancel());
    }
  }

  /** Whether this very build was: HUP, the first of the signals ignored, then never comes. */
  private static boolean startedByNohup() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream().anyMatch(l -> l.matches("SigIgn:.*[13579bdf]"));
  }
}

package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is queued for a channel arrives, in order, whenever the channel takes it. */
@Timeout(300)
class OutputTest {
  private static final long SEED = 1864;
  private static final int SOCKET_BUFFER = 256 * 1024;

  private ServerSocketChannel server;
  private SocketChannel client;
  private SocketChannel channel;

  private Color color;
  private Output output;
  private final AtomicInteger calls = new AtomicInteger();
  private volatile long pendingAtCall = -1;

  @BeforeEach
  void connect() throws IOException {
    server = Rig.listen();
    server.configureBlocking(true);
    // Much smaller than what is sent: some kernels would take it all.
    client = SocketChannel.open().setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
    client.connect(server.getLocalAddress());
    accept();
    channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
  }

  private void accept() throws IOException {
    channel = server.accept();
    channel.configureBlocking(false);
  }

  @AfterEach
  void disconnect() throws IOException {
    client.close();
    channel.close();
    server.close();
  }

  private void open(Rig rig) throws IOException {
    color = rig.mely().newColor();
    Handler<Output[]> note =
        Handler.of(
            holder -> {
              calls.incrementAndGet();
              pendingAtCall = holder[0].pending();
            });
    Output[] holder = new Output[1];
    output = rig.nio.output(channel, color, note, holder);
    holder[0] = output;
  }

  /** Calls something in the color. */
  private <T> T inColor(Rig rig, Callable<T> action) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    rig.mely()
        .execute(
            color,
            () -> {
              try {
                result.complete(action.call());
              } catch (Throwable t) {
                result.completeExceptionally(t);
              }
            });
    return result.get(120, TimeUnit.SECONDS);
  }

  /** Buffers of all sizes and kinds, more than the sockets hold, to a reader that comes late. */
  @ParameterizedTest
  @EnumSource(EchoServerTest.Setup.class)
  void allArrivesInOrder(EchoServerTest.Setup setup) throws Exception {
    System.out.println("outputs: seed " + SEED);
    try (Rig rig = setup.start()) {
      open(rig);
      SplittableRandom random = new SplittableRandom(SEED);
      long sent = 0;
      boolean all = true;
      for (int i = 0; i < 400; i++) {
        int size = random.nextInt(10) == 0 ? random.nextInt(300_000) : random.nextInt(3_000);
        boolean direct = random.nextBoolean();
        ByteBuffer bytes = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
        for (int at = 0; at < size; at++) {
          bytes.put(value(sent + at));
        }
        sent += size;
        boolean flush = random.nextInt(3) == 0;
        all =
            inColor(
                rig,
                () -> {
                  output.write(bytes.flip());
                  return flush ? output.flush() : true;
                });
      }
      // The kernel may have taken all that there was once, before the last buffers came.
      int before = inColor(rig, () -> output.flush() ? -1 : calls.get());
      assertTrue(before >= 0, "the sockets hold it all: " + all);
      long pending = inColor(rig, () -> output.pending());
      assertTrue(0 < pending && pending < sent, "pending: " + pending + " of " + sent);
      assertEquals(before, calls.get(), "called while it waits");

      ByteBuffer in = ByteBuffer.allocate(100_000);
      for (long got = 0; got < sent; got += in.flip().remaining()) {
        assertTrue(client.read(in.clear()) > 0);
        for (int at = 0; at < in.position(); at++) {
          assertEquals(value(got + at), in.get(at));
        }
      }
      await().until(() -> calls.get() == before + 1);
      assertEquals(0, pendingAtCall);
      assertTrue(inColor(rig, () -> output.flush()));
      assertEquals(before + 1, calls.get());
    }
  }

  private static byte value(long at) {
    return (byte) (at * 31 >> 3);
  }

  /** Parts of a file between buffers, in order; a file that gets shorter fails the output. */
  @ParameterizedTest
  @EnumSource(EchoServerTest.Setup.class)
  void partsOfAFile(EchoServerTest.Setup setup, @TempDir Path folder) throws Exception {
    byte[] content = new byte[9_000_000];
    new SplittableRandom(SEED).nextBytes(content);
    Path path = Files.write(folder.resolve("file"), content);
    ByteBuffer expected = ByteBuffer.allocate(2 * content.length + 4);
    expected.put((byte) 1).put(content).put((byte) 2).put((byte) 3).put(content, 5, 1_000_000);
    expected.put((byte) 4).flip();
    try (Rig rig = setup.start();
        FileChannel file = FileChannel.open(path)) {
      open(rig);
      boolean all =
          inColor(
              rig,
              () -> {
                output.write(ByteBuffer.wrap(new byte[] {1}));
                output.write(file, 0, content.length);
                output.write(ByteBuffer.wrap(new byte[] {2}));
                output.write(ByteBuffer.wrap(new byte[] {3}));
                output.write(file, 7, 0);
                output.write(file, 5, 1_000_000);
                output.write(ByteBuffer.wrap(new byte[] {4}));
                assertEquals(expected.remaining(), output.pending());
                return output.flush();
              });
      assertFalse(all, "the sockets hold it all");
      ByteBuffer got = ByteBuffer.allocate(expected.remaining());
      while (got.hasRemaining()) {
        assertTrue(client.read(got) > 0);
      }
      assertEquals(expected, got.flip());
      await().until(() -> calls.get() == 1);

      inColor(
          rig,
          () -> {
            output.write(file, content.length - 10, 20);
            return output.flush(); // what there is goes out first
          });
      await().until(() -> calls.get() == 2);
      Throwable why =
          assertThrows(Exception.class, () -> inColor(rig, () -> output.flush())).getCause();
      assertTrue(why instanceof EOFException, "" + why);
      assertEquals(10, client.read(ByteBuffer.allocate(100)));
      assertEquals(0L, inColor(rig, () -> output.pending()));
      assertThrows(IllegalArgumentException.class, () -> output.write(file, -1, 1));
      assertThrows(IllegalArgumentException.class, () -> output.write(file, 1, -1));
    }
  }

  /** What fits is gone at once, and nobody is told what he knows. */
  @Test
  void whatFitsIsSentAtOnce() throws Exception {
    try (Rig rig = new Rig(1)) {
      open(rig);
      boolean all =
          inColor(
              rig,
              () -> {
                output.write(ByteBuffer.wrap(new byte[] {1, 2}));
                output.write(ByteBuffer.allocate(0));
                output.write(ByteBuffer.wrap(new byte[] {0, 3, 0}, 1, 1));
                assertEquals(3, output.pending());
                return output.flush();
              });
      assertTrue(all);
      assertEquals(0L, inColor(rig, () -> output.pending()));
      ByteBuffer in = ByteBuffer.allocate(3);
      while (in.hasRemaining()) {
        assertTrue(client.read(in) > 0);
      }
      assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), in.flip());
      rig.pollAtLeastOnce(color);
      assertEquals(0, calls.get());
    }
  }

  /** It keeps nothing, reports the failure once, and returns its cause on request. */
  @Test
  void aResetEndsIt() throws Exception {
    try (Rig rig = new Rig(2)) {
      open(rig);
      inColor(
          rig,
          () -> {
            output.write(ByteBuffer.allocate(64 << 20));
            return output.flush();
          });
      client.setOption(StandardSocketOptions.SO_LINGER, 0);
      client.close();
      await().until(() -> calls.get() == 1);
      assertEquals(0, pendingAtCall);
      Throwable why =
          assertThrows(Exception.class, () -> inColor(rig, () -> output.flush())).getCause();
      assertTrue(why instanceof IOException, "" + why);
      inColor(
          rig,
          () -> {
            output.write(ByteBuffer.allocate(10));
            return null;
          });
      assertEquals(0L, inColor(rig, () -> output.pending()));
      assertEquals(1, calls.get());
    }
  }

  /** Its owner closes it, and is told so if it goes on. */
  @Test
  void aClosedChannelTakesNothing() throws Exception {
    try (Rig rig = new Rig(1)) {
      open(rig);
      channel.close();
      output.write(ByteBuffer.allocate(10));
      assertThrows(ClosedChannelException.class, output::flush);
      Handler<String> any = Handler.of(event -> {});
      assertThrows(
          ClosedChannelException.class, () -> rig.nio.output(channel, color, any, "event"));
    }
  }

  /** A channel has one way out. */
  @Test
  void itIsTheOnlyOne() throws Exception {
    try (Rig rig = new Rig(1)) {
      open(rig);
      Handler<String> any = Handler.of(event -> {});
      assertThrows(IllegalStateException.class, () -> rig.nio.output(channel, color, any, "event"));
      assertThrows(
          IllegalStateException.class, () -> rig.nio.writable(channel, color, any, "event"));
      assertNotNull(rig.nio.readable(channel, color, any, "event"));
    }
  }

  /** A reader that keeps up does not keep the core: others have their turn in between. */
  @Test
  void aQuickReaderDoesNotKeepTheCore() throws Exception {
    client.close();
    channel.close();
    client = Rig.client(server); // with buffers that grow, so that the channel takes all it gets
    accept();
    try (Rig rig = new Rig(1)) {
      open(rig);
      long all = 64 << 20;
      AtomicInteger turns = new AtomicInteger();
      CompletableFuture<Integer> turnsAtEnd = new CompletableFuture<>();
      Thread reader =
          new Thread(
              () -> {
                try {
                  ByteBuffer in = ByteBuffer.allocateDirect(1 << 20);
                  for (long got = 0; got < all; got += in.position()) {
                    client.read(in.clear());
                  }
                  turnsAtEnd.complete(turns.get());
                } catch (IOException e) {
                  turnsAtEnd.completeExceptionally(e);
                }
              });
      reader.start();
      Color other = rig.mely().newColor();
      inColor(
          rig,
          () -> {
            output.write(ByteBuffer.allocate((int) all));
            Runnable[] turn = new Runnable[1];
            turn[0] =
                () -> {
                  turns.incrementAndGet();
                  if (!turnsAtEnd.isDone()) {
                    rig.mely().execute(other, turn[0]);
                  }
                };
            rig.mely().execute(other, turn[0]);
            return output.flush();
          });
      // A call may send 2 MiB, so that 64 MiB take 32 of them.
      assertTrue(turnsAtEnd.get(120, TimeUnit.SECONDS) >= 16, "turns: " + turns);
      reader.join();
    }
  }
}

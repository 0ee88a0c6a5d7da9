package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.MelyBuilder;
import dev.mely.Migrating;
import dev.mely.StealPolicy;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An echo server on bare channels (requirements A7, A8). */
@Timeout(300)
class EchoServerTest {
  private static final long SEED = 20031;

  /** How the runtime is set up. */
  enum Setup {
    ONE_CORE(1, b -> b),
    TWO_CORES(2, b -> b),
    NO_STEALING(2, b -> b.policy(StealPolicy.parse("off"))),
    BASE_STEALING(3, b -> b.policy(StealPolicy.parse("base")).spins(0)),
    MIGRATING(3, b -> Migrating.on(b, SEED));

    final int cores;
    final UnaryOperator<MelyBuilder> settings;

    Setup(int cores, UnaryOperator<MelyBuilder> settings) {
      this.cores = cores;
      this.settings = settings;
    }

    Rig start() throws IOException {
      return new Rig(cores, settings);
    }
  }

  /** Byte for byte, in chunks of all sizes, and the end of the stream comes back as well. */
  @ParameterizedTest
  @EnumSource
  void returnsWhatItGets(Setup setup) throws Exception {
    try (Rig rig = setup.start();
        ServerSocketChannel server = Rig.listen()) {
      Echo echo = new Echo(rig.nio, server);
      List<Thread> threads = new ArrayList<>();
      List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 8; i++) {
        SplittableRandom random = new SplittableRandom(SEED + i);
        Thread thread =
            new Thread(
                () -> {
                  try (SocketChannel client = Rig.client(server)) {
                    exchange(client, random);
                  } catch (Throwable t) {
                    failures.add(t);
                  }
                });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), failures, "seed " + SEED);
      await().until(() -> echo.open.get() == 0);
      assertEquals(8, echo.accepted.get());
      assertEquals(0, echo.resets.get());
    }
  }

  private static void exchange(SocketChannel client, SplittableRandom random) throws IOException {
    for (int round = 0; round < 100; round++) {
      byte[] sent = new byte[1 + random.nextInt(round % 10 == 0 ? 100_000 : 1_000)];
      random.nextBytes(sent);
      ByteBuffer out = ByteBuffer.wrap(sent);
      ByteBuffer in = ByteBuffer.allocate(sent.length);
      while (in.hasRemaining()) {
        if (out.hasRemaining()) {
          out.limit(Math.min(sent.length, out.position() + 8 * 1024));
          client.write(out);
          out.limit(sent.length);
        }
        if (client.read(in) < 0) {
          throw new IOException("the server has ended the connection");
        }
      }
      assertArrayEquals(sent, in.array());
    }
    client.shutdownOutput();
    assertEquals(-1, client.read(ByteBuffer.allocate(1)));
  }

  /** The client ends its side first; what it has sent before comes back nonetheless. */
  @ParameterizedTest
  @EnumSource
  void halfCloseIsNoClose(Setup setup) throws Exception {
    try (Rig rig = setup.start();
        ServerSocketChannel server = Rig.listen()) {
      Echo echo = new Echo(rig.nio, server);
      try (SocketChannel client = Rig.client(server)) {
        byte[] sent = new byte[64 * 1024];
        new SplittableRandom(SEED).nextBytes(sent);
        client.write(ByteBuffer.wrap(sent));
        client.shutdownOutput();
        assertArrayEquals(sent, Channels.newInputStream(client).readAllBytes());
      }
      await().until(() -> echo.open.get() == 0);
    }
  }

  /** A reset ends its connection, and nothing else. */
  @ParameterizedTest
  @EnumSource
  void resetEndsOneConnection(Setup setup) throws Exception {
    try (Rig rig = setup.start();
        ServerSocketChannel server = Rig.listen()) {
      Echo echo = new Echo(rig.nio, server);
      try (SocketChannel witness = Rig.client(server)) {
        for (int i = 0; i < 10; i++) {
          SocketChannel client = Rig.client(server);
          client.configureBlocking(false);
          client.write(ByteBuffer.allocate(4 << 20)); // as much as the sockets hold: in mid-write
          client.setOption(StandardSocketOptions.SO_LINGER, 0);
          client.close();
        }
        await().until(() -> echo.open.get() == 1 && echo.accepted.get() == 11);
        assertTrue(echo.resets.get() > 0, "not one of ten was seen as a reset");
        exchange(witness, new SplittableRandom(SEED));
      }
      await().until(() -> echo.open.get() == 0);
    }
  }

  /**
   * A client that does not read is read from no more; others are served. When it reads again, it
   * gets all.
   */
  @ParameterizedTest
  @EnumSource
  void slowReaderHoldsUpNobody(Setup setup) throws Exception {
    try (Rig rig = setup.start();
        ServerSocketChannel server = Rig.listen()) {
      Echo echo = new Echo(rig.nio, server);
      try (SocketChannel slow = Rig.client(server);
          SocketChannel witness = Rig.client(server)) {
        slow.configureBlocking(false);
        long sent = fill(slow, echo);
        assertTrue(echo.shortWrites.get() > 0, "the server never had to wait");
        exchange(witness, new SplittableRandom(SEED));
        long writables = echo.writables.get();

        slow.configureBlocking(true);
        slow.shutdownOutput();
        ByteBuffer in = ByteBuffer.allocate(64 * 1024);
        long got = 0;
        for (int n = slow.read(in); n >= 0; n = slow.read(in)) {
          for (int i = 0; i < n; i++) {
            assertEquals((byte) (got + i), in.get(i));
          }
          got += n;
          in.clear();
        }
        assertEquals(sent, got);
        assertTrue(echo.writables.get() > writables, "no event told the server to go on");
      }
      await().until(() -> echo.open.get() == 0);
    }
  }

  /** Sends a counting pattern until neither socket nor server takes any more. */
  private static long fill(SocketChannel slow, Echo echo) throws Exception {
    long sent = 0;
    ByteBuffer chunk = ByteBuffer.allocate(4096);
    for (int quiet = 0; quiet < 10; ) {
      chunk.clear();
      for (int i = 0; i < 4096; i++) {
        chunk.put(i, (byte) (sent + i));
      }
      int n = slow.write(chunk);
      sent += n;
      if (n == 0 && echo.shortWrites.get() > 0) {
        quiet++;
        Thread.sleep(10);
      } else {
        quiet = 0;
      }
    }
    return sent;
  }

  /** The acceptor can be paused: who comes meanwhile is served afterwards. */
  @ParameterizedTest
  @EnumSource
  void pausedServerKeepsItsBacklog(Setup setup) throws Exception {
    try (Rig rig = setup.start();
        ServerSocketChannel server = Rig.listen()) {
      Echo echo = new Echo(rig.nio, server);
      try (SocketChannel first = Rig.client(server)) {
        ping(first, 1);
        CountDownLatch paused = new CountDownLatch(1);
        rig.mely()
            .execute(
                echo.color,
                () -> {
                  echo.accepting.pause();
                  paused.countDown();
                });
        paused.await();
        try (SocketChannel second = Rig.client(server)) {
          for (int i = 0; i < 50; i++) {
            ping(first, i);
          }
          assertEquals(1, echo.accepted.get());
          echo.accepting.resume();
          ping(second, 2);
        }
      }
      await().until(() -> echo.open.get() == 0);
    }
  }

  private static void ping(SocketChannel client, int value) throws IOException {
    client.write(ByteBuffer.wrap(new byte[] {(byte) value}));
    ByteBuffer in = ByteBuffer.allocate(1);
    assertEquals(1, client.read(in));
    assertEquals((byte) value, in.get(0));
  }
}

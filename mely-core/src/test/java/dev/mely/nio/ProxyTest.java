package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A TCP proxy on bare channels (requirement A8): connect, and two channels in one color. */
@Timeout(300)
class ProxyTest {
  private static final long SEED = 4711;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private ServerSocketChannel front;
  private ServerSocketChannel behind;

  @BeforeEach
  void listen() throws IOException {
    front = Rig.listen();
    behind = Rig.listen();
    behind.configureBlocking(true);
  }

  @AfterEach
  void close() throws IOException {
    front.close();
    behind.close();
    threads.shutdownNow();
  }

  /** Both directions at once, more than all buffers hold, then the end of each. */
  @ParameterizedTest
  @EnumSource(EchoServerTest.Setup.class)
  void relaysBothDirections(EchoServerTest.Setup setup) throws Exception {
    byte[] up = random(1_000_000, SEED);
    byte[] down = random(1_500_000, SEED + 1);
    try (Rig rig = setup.start()) {
      Proxy proxy = new Proxy(rig.nio, front, behind.getLocalAddress());
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        SocketChannel client = Rig.client(front);
        SocketChannel server = behind.accept();
        ends.add(threads.submit(sender(client, up)));
        ends.add(threads.submit(sender(server, down)));
        ends.add(threads.submit(receiver(server, up)));
        ends.add(threads.submit(receiver(client, down)));
      }
      for (Future<?> end : ends) {
        end.get();
      }
      await().until(() -> proxy.open.get() == 0);
      assertEquals(0, proxy.resets.get());
    }
  }

  /** The client's end reaches the server, which then still has something to say. */
  @ParameterizedTest
  @EnumSource(EchoServerTest.Setup.class)
  void endOfOneDirectionLeavesTheOther(EchoServerTest.Setup setup) throws Exception {
    try (Rig rig = setup.start()) {
      Proxy proxy = new Proxy(rig.nio, front, behind.getLocalAddress());
      try (SocketChannel client = Rig.client(front);
          SocketChannel server = behind.accept()) {
        client.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        client.shutdownOutput();
        assertArrayEquals(new byte[] {1, 2, 3}, Channels.newInputStream(server).readAllBytes());
        byte[] answer = random(300_000, SEED);
        threads.submit(sender(server, answer));
        assertArrayEquals(answer, Channels.newInputStream(client).readAllBytes());
      }
      await().until(() -> proxy.open.get() == 0);
    }
  }

  /** And the other way round. */
  @Test
  void serverMayEndFirst() throws Exception {
    try (Rig rig = new Rig(2)) {
      Proxy proxy = new Proxy(rig.nio, front, behind.getLocalAddress());
      try (SocketChannel client = Rig.client(front);
          SocketChannel server = behind.accept()) {
        server.shutdownOutput();
        assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        byte[] more = random(300_000, SEED);
        threads.submit(sender(client, more));
        assertArrayEquals(more, Channels.newInputStream(server).readAllBytes());
      }
      await().until(() -> proxy.open.get() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource(EchoServerTest.Setup.class)
  void resetIsPassedOn(EchoServerTest.Setup setup) throws Exception {
    try (Rig rig = setup.start()) {
      Proxy proxy = new Proxy(rig.nio, front, behind.getLocalAddress());
      for (int i = 0; i < 10; i++) {
        SocketChannel client = Rig.client(front);
        try (SocketChannel server = behind.accept()) {
          client.write(ByteBuffer.wrap(new byte[] {1}));
          assertEquals(1, server.read(ByteBuffer.allocate(1)));
          client.setOption(StandardSocketOptions.SO_LINGER, 0);
          client.close();
          assertThrows(IOException.class, () -> server.read(ByteBuffer.allocate(1)));
        }
      }
      await().until(() -> proxy.open.get() == 0);
      assertEquals(10, proxy.resets.get());
    }
  }

  /** Who cannot be connected is closed; the proxy goes on. */
  @Test
  void refusedConnectionEndsTheClient() throws Exception {
    try (Rig rig = new Rig(2);
        SocketChannel deaf = Rig.deaf()) {
      Proxy proxy = new Proxy(rig.nio, front, deaf.getLocalAddress());
      for (int i = 0; i < 5; i++) {
        try (SocketChannel client = Rig.client(front)) {
          assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        }
      }
      await().until(() -> proxy.open.get() == 0);
    }
  }

  /** A receiver that does not read stops its sender, and nobody else. */
  @ParameterizedTest
  @EnumSource(EchoServerTest.Setup.class)
  void slowReceiverStopsItsSender(EchoServerTest.Setup setup) throws Exception {
    byte[] much = random(64 << 20, SEED);
    byte[] little = random(100_000, SEED + 1);
    try (Rig rig = setup.start()) {
      Proxy proxy = new Proxy(rig.nio, front, behind.getLocalAddress());
      SocketChannel slow = Rig.client(front);
      try (SocketChannel server = behind.accept()) {
        slow.configureBlocking(false);
        ByteBuffer out = ByteBuffer.wrap(much);
        for (int quiet = 0; quiet < 10; quiet++) {
          if (slow.write(out) > 0) {
            quiet = 0;
          }
          Thread.sleep(5);
        }
        assertTrue(out.hasRemaining(), "the proxy takes all without a receiver");

        SocketChannel other = Rig.client(front);
        SocketChannel otherServer = behind.accept();
        threads.submit(sender(other, little));
        receiver(otherServer, little).call();

        slow.configureBlocking(true);
        threads.submit(
            () -> {
              while (out.hasRemaining()) {
                slow.write(out);
              }
              slow.shutdownOutput();
              return null;
            });
        receiver(server, much).call();
        slow.close();
        other.close();
        otherServer.close();
      }
      await().until(() -> proxy.open.get() == 0);
    }
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private static Callable<Void> sender(SocketChannel to, byte[] bytes) {
    return () -> {
      ByteBuffer out = ByteBuffer.wrap(bytes);
      while (out.hasRemaining()) {
        to.write(out);
      }
      to.shutdownOutput();
      return null;
    };
  }

  private static Callable<Void> receiver(SocketChannel from, byte[] expected) {
    return () -> {
      ByteBuffer in = ByteBuffer.allocate(expected.length + 1);
      while (from.read(in) >= 0) {
        if (!in.hasRemaining()) {
          throw new IOException("more than was sent");
        }
      }
      assertArrayEquals(expected, Arrays.copyOf(in.array(), in.position()));
      return null;
    };
  }
}

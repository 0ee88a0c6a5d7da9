package dev.mely.examples.echo;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.examples.service.Carrier;
import dev.mely.examples.service.Server;
import dev.mely.examples.service.TextClient;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requirement C5: every byte comes back. */
@Timeout(300)
class EchoServerTest {
  private static final long SEED = 407;

  private static Server start(Carrier carrier) throws IOException {
    return carrier.start(shared -> new EchoProtocol());
  }

  @ParameterizedTest
  @EnumSource
  void everyByteComesBack(Carrier carrier) throws Exception {
    System.out.println("echo: seed " + SEED);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (Server server = start(carrier)) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        SplittableRandom random = new SplittableRandom(SEED + i);
        clients.add(
            threads.submit(
                () -> {
                  exchange(server, random);
                  return null;
                }));
      }
      for (Future<?> client : clients) {
        client.get(120, TimeUnit.SECONDS);
      }
      await().until(() -> server.clients().open() == 0);
      assertEquals(8, server.clients().served());
    } finally {
      threads.shutdownNow();
    }
  }

  private static void exchange(Server server, SplittableRandom random) throws IOException {
    try (TextClient client = new TextClient(server.address())) {
      for (int round = 0; round < 100; round++) {
        byte[] sent = new byte[1 + random.nextInt(round % 10 == 0 ? 100_000 : 1_000)];
        random.nextBytes(sent);
        assertArrayEquals(sent, client.send(sent).bytes(sent.length), "seed " + SEED);
      }
      byte[] last = new byte[10_000];
      random.nextBytes(last);
      client.send(last).endOutput();
      assertArrayEquals(last, client.bytes(last.length + 1), "what came before the end");
    }
  }

  /** It is read no further than it reads; when it reads, it gets all. Others are served. */
  @ParameterizedTest
  @EnumSource
  void whoDoesNotReadIsNotRead(Carrier carrier) throws Exception {
    try (Server server = start(carrier);
        SocketChannel greedy = SocketChannel.open(server.address());
        TextClient witness = new TextClient(server.address())) {
      greedy.configureBlocking(false);
      long sent = 0;
      ByteBuffer chunk = ByteBuffer.allocate(8192);
      for (int quiet = 0; quiet < 20; ) {
        chunk.clear();
        for (int i = 0; i < chunk.capacity(); i++) {
          chunk.put(i, (byte) (sent + i));
        }
        int n = greedy.write(chunk);
        sent += n;
        if (n == 0) {
          quiet++;
          Thread.sleep(10);
        } else {
          quiet = 0;
        }
        assertTrue(sent < 200L << 20, "the server takes it all");
      }
      assertEquals("here", witness.send("here\n").line());
      greedy.configureBlocking(true);
      greedy.shutdownOutput();
      ByteBuffer in = ByteBuffer.allocate(64 * 1024);
      long got = 0;
      while (greedy.read(in.clear()) >= 0) {
        for (int i = 0; i < in.position(); i++) {
          assertEquals((byte) (got + i), in.get(i));
        }
        got += in.position();
      }
      assertEquals(sent, got);
    }
  }

  /** A stop sends what has come, and closes; the client may close when it likes. */
  @ParameterizedTest
  @EnumSource
  void stopsCleanly(Carrier carrier) throws Exception {
    Server server = start(carrier);
    TextClient client = new TextClient(server.address());
    try (client) {
      assertEquals("one", client.send("one\n").line());
      Thread stop = new Thread(server::close);
      stop.start();
      assertEquals(null, client.line());
      client.leave();
      stop.join();
      assertEquals(0, server.clients().open());
    }
  }

  /** Those above the limit are turned away, and room is made by those who go. */
  @ParameterizedTest
  @EnumSource
  void clientsAreLimited(Carrier carrier) throws Exception {
    try (Server server = carrier.start(shared -> new EchoProtocol(), 2, 0)) {
      try (TextClient one = new TextClient(server.address());
          TextClient two = new TextClient(server.address())) {
        assertEquals("1", one.send("1\n").line());
        assertEquals("2", two.send("2\n").line());
        try (TextClient three = new TextClient(server.address())) {
          assertEquals(null, three.line());
        }
        assertEquals(1, server.clients().refused());
      }
      await().until(() -> server.clients().open() == 0);
      try (TextClient four = new TextClient(server.address())) {
        assertEquals("4", four.send("4\n").line());
      }
    }
  }

  /** A client of another language, which sends and receives at the same time. */
  @ParameterizedTest
  @EnumSource
  void python(Carrier carrier) throws Exception {
    assumeTrue(Programs.run("python3", "--version"), "python3 is not installed");
    String program =
        """
        import asyncio, random, sys
        async def client(n):
            reader, writer = await asyncio.open_connection('127.0.0.1', int(sys.argv[1]))
            data = random.Random(n).randbytes(300_000)
            async def send():
                for at in range(0, len(data), 7_777):
                    writer.write(data[at:at + 7_777]); await writer.drain()
                writer.write_eof()
            _, got = await asyncio.gather(send(), reader.read(-1))
            assert got == data, (n, len(got)); writer.close()
        async def main(): await asyncio.gather(*(client(n) for n in range(20)))
        asyncio.run(main())
        """;
    try (Server server = start(carrier)) {
      assertTrue(Programs.run("python3", "-c", program, "" + server.address().getPort()));
      assertEquals(20, server.clients().served());
    }
  }

  /** As the guide says: {@code nc}. */
  @ParameterizedTest
  @EnumSource
  void netcat(Carrier carrier) throws Exception {
    assumeTrue(Programs.run("sh", "-c", "command -v nc"), "nc is not installed");
    try (Server server = start(carrier)) {
      String port = "" + server.address().getPort();
      assertTrue(
          Programs.run(
              "sh", "-c", "test \"$(echo hello | nc -N 127.0.0.1 " + port + ")\" = hello"));
    }
  }

  /** A reset in the middle ends one connection and nothing else. */
  @ParameterizedTest
  @EnumSource
  void resets(Carrier carrier) throws Exception {
    try (Server server = start(carrier);
        TextClient witness = new TextClient(server.address())) {
      for (int i = 0; i < 20; i++) {
        try (SocketChannel client = SocketChannel.open(server.address())) {
          client.configureBlocking(false);
          client.write(ByteBuffer.allocate(1 << 20));
          client.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
      }
      assertEquals("still", witness.send("still\n").line());
      await().until(() -> server.clients().open() == 1);
    }
  }
}

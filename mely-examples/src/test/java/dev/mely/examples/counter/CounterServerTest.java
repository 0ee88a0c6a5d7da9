package dev.mely.examples.counter;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.examples.service.Carrier;
import dev.mely.examples.service.Server;
import dev.mely.examples.service.TextClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requirement C5: no increment is lost, none counts twice, and answers are in order. */
@Timeout(300)
class CounterServerTest {
  private static final int CONNECTIONS = 150;
  private static final int INCREMENTS = 400;

  private static Server start(Carrier carrier) throws IOException {
    return carrier.start(CounterProtocol::new);
  }

  /** What all clients get, taken together, is 1 to N, each number once. */
  @ParameterizedTest
  @EnumSource
  void incrementsAreAPermutation(Carrier carrier) throws Exception {
    int all = CONNECTIONS * INCREMENTS;
    BitSet seen = new BitSet(all + 1);
    try (Server server = start(carrier)) {
      List<TextClient> clients = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        clients.add(new TextClient(server.address()));
      }
      // Several at a time from each, and all before an answer is read.
      for (int at = 0; at < INCREMENTS; at += 40) {
        for (TextClient client : clients) {
          client.send("+\n".repeat(40));
        }
      }
      for (TextClient client : clients) {
        long last = 0;
        for (int i = 0; i < INCREMENTS; i++) {
          long value = Long.parseLong(client.line());
          assertTrue(last < value && value <= all, value + " after " + last);
          assertTrue(!seen.get((int) value), "twice: " + value);
          seen.set((int) value);
          last = value;
        }
      }
      assertEquals(all, seen.cardinality());
      assertEquals("" + all, clients.get(0).send("?\n").line());
      for (TextClient client : clients) {
        client.close();
      }
      await().until(() -> server.clients().open() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersWrongLines(Carrier carrier) throws Exception {
    try (Server server = start(carrier);
        TextClient client = new TextClient(server.address())) {
      client.send("?\n+\r\nx\n\n+ \n?");
      assertEquals("0", client.line());
      assertEquals("1", client.line());
      for (int i = 0; i < 3; i++) {
        assertEquals("error: '+' increments, '?' reads", client.line());
      }
      assertEquals("1", client.send("\n").line());
      client.send("+\n" + "+".repeat(100) + "\n+\n");
      assertEquals("2", client.line());
      assertEquals("error: a line may have 64 bytes", client.line());
      assertEquals(null, client.line());
    }
  }

  /** What was asked before the end is answered, also when the server stops. */
  @ParameterizedTest
  @EnumSource
  void whatIsOwedIsAnswered(Carrier carrier) throws Exception {
    Server server = start(carrier);
    try (server;
        TextClient one = new TextClient(server.address());
        TextClient two = new TextClient(server.address())) {
      one.send("+\n".repeat(10_000)).endOutput();
      for (int i = 1; i <= 10_000; i++) {
        assertEquals("" + i, one.line());
      }
      assertEquals(null, one.line());
      assertEquals("10001", two.send("+\n").line());
      Thread stop = new Thread(server::close);
      stop.start();
      assertEquals(null, two.line());
      two.leave();
      stop.join();
    }
  }

  /** A client that never reads an answer is not read; others count. */
  @ParameterizedTest
  @EnumSource
  void whoDoesNotReadIsNotRead(Carrier carrier) throws Exception {
    try (Server server = start(carrier);
        TextClient witness = new TextClient(server.address());
        TextClient greedy = new TextClient(server.address(), 4096)) {
      Thread sender =
          new Thread(
              () -> {
                byte[] much = "?\n".repeat(500_000).getBytes();
                try {
                  for (int i = 0; i < 100; i++) {
                    greedy.send(much);
                  }
                } catch (IOException closed) {
                  // As the test does in the end.
                }
              });
      sender.start();
      for (int i = 1; i <= 1_000; i++) {
        assertEquals("" + i, witness.send("+\n").line());
      }
      assertTrue(sender.isAlive(), "100 MB of requests were taken without an answer being read");
      greedy.reset();
      sender.join();
      await().until(() -> server.clients().open() == 1);
    }
  }

  /** A client of another language. */
  @ParameterizedTest
  @EnumSource
  void python(Carrier carrier) throws Exception {
    assumeTrue(Programs.run("python3", "--version"), "python3 is not installed");
    String program =
        """
        import asyncio, sys
        async def client(n):
            reader, writer = await asyncio.open_connection('127.0.0.1', int(sys.argv[1]))
            got = []
            for i in range(20):
                writer.write(b'+\\n'); got.append(int(await reader.readline()))
            writer.close()
            return got
        async def main():
            got = sum(await asyncio.gather(*(client(n) for n in range(150))), [])
            assert sorted(got) == list(range(1, 3001)), got
        asyncio.run(main())
        """;
    try (Server server = start(carrier)) {
      assertTrue(Programs.run("python3", "-c", program, "" + server.address().getPort()));
    }
  }
}

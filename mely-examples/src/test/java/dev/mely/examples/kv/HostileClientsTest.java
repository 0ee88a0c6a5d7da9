package dev.mely.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Mutations;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code -Dmely.fuzz.messages} mutated messages, from {@code -Dmely.fuzz.seed} on, a part of them
 * through sockets; and clients that do not read. Another client must not notice.
 */
@Timeout(300)
class HostileClientsTest {
  private static final int MESSAGES = Integer.getInteger("mely.fuzz.messages", 20_000);
  private static final int THROUGH_SOCKETS = MESSAGES / 150;
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);
  private static final String MEGABYTE = "x".repeat(1_000_000);

  private static final String[] MESSAGES_TO_MUTATE = {
    "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\nabc\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n",
    "*5\r\n$4\r\nMSET\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n",
    "*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*1\r\n$4\r\nEXEC\r\n",
    "*4\r\n$4\r\nHSET\r\n$1\r\nh\r\n$1\r\nf\r\n$0\r\n\r\n*2\r\n$7\r\nHGETALL\r\n$1\r\nh\r\n",
    "SET a \"b c\"\r\nGET a\r\nWATCH a b\r\nPING\r\n",
    "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n*3\r\n$7\r\nPUBLISH\r\n$1\r\nc\r\n$1\r\nm\r\n",
    "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n*6\r\n$4\r\nSCAN\r\n$1\r\n0\r\n$5\r\nMATCH\r\n$1\r\n*\r\n"
        + "$5\r\nCOUNT\r\n$2\r\n10\r\n",
    "*2\r\n$6\r\nDBSIZE\r\n*2\r\n$4\r\nKEYS\r\n$1\r\n*\r\nEXPIRE a 100\r\nTTL a\r\n"
  };

  private static final String[] SPICES = {
    "\r\n",
    "\n",
    "\r",
    "*",
    "$",
    "-1",
    "0",
    "99999999999",
    "1048577",
    "*1\r\n",
    "$-1\r\n",
    "$536870913\r\n",
    "\"",
    "'",
    "\\x",
    "\0",
    "\u00ff",
    " ",
    "MULTI\r\n",
    "EXEC\r\n",
    "RESET\r\n",
    "QUIT\r\n",
    "*0\r\n",
    "*-5\r\n",
    "DEL a\r\n",
    "PSUBSCRIBE *\r\n",
    "UNSUBSCRIBE\r\n",
    "HELLO 2\r\n",
    "SCAN 18446744073709551615\r\n",
    "SCAN 12345678901234567\r\n",
    "KEYS [\r\n"
  };

  private KvServer server;

  @BeforeEach
  void start() throws IOException {
    server = Kv.start(Kv.config(null, Fsync.NO, 1L << 40, Duration.ofSeconds(1)), SEED);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RespClient connect() throws IOException {
    return new RespClient(server.address());
  }

  // ---- Messages

  private static byte[] mutated(SplittableRandom random) {
    String message = MESSAGES_TO_MUTATE[random.nextInt(MESSAGES_TO_MUTATE.length)];
    return Mutations.of(message, SPICES, random);
  }

  private static @Nullable String read(
      byte[] bytes, SplittableRandom random, int most, List<byte[][]> commands) {
    RequestReader reader = new RequestReader(Kv.MAX_BULK, 2L * Kv.MAX_BULK);
    try {
      for (int at = 0; at < bytes.length; ) {
        int end = Math.min(bytes.length, at + 1 + random.nextInt(most));
        reader.take(bytes, at, end, commands);
        at = end;
      }
      return null;
    } catch (ProtocolError e) {
      return e.getMessage();
    }
  }

  /** Whatever comes, it means the same in one piece and in many. */
  @Test
  void mutatedMessagesAreRead() {
    System.out.println("mutated messages: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    int refused = 0;
    int accepted = 0;
    for (int i = 0; i < MESSAGES; i++) {
      byte[] bytes = mutated(random);
      List<byte[][]> whole = new ArrayList<>();
      List<byte[][]> pieces = new ArrayList<>();
      String why = read(bytes, random, 1 << 20, whole);
      assertEquals(why, read(bytes, random, 5, pieces));
      assertEquals(whole.size(), pieces.size());
      for (int c = 0; c < whole.size(); c++) {
        assertArrayEquals(whole.get(c), pieces.get(c));
        assertTrue(whole.get(c).length > 0);
      }
      refused += why != null ? 1 : 0;
      accepted += why == null ? 1 : 0;
    }
    assertTrue(refused > MESSAGES / 20 && accepted > MESSAGES / 20, refused + ", " + accepted);
  }

  /**
   * Each connection gets whole answers and its end; a client beside it sees nothing but its own
   * key; and nothing is left behind.
   */
  @Test
  void mutatedMessagesAreAnswered() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    int answers = 0;
    try (RespClient witness = connect()) {
      witness.ask("HSET witness f v");
      for (int i = 0; i < THROUGH_SOCKETS; i++) {
        try (RespClient client = connect()) {
          client.raw(mutated(random));
          if (random.nextInt(4) > 0) {
            client.endOutput();
            answers += readAll(client);
          }
        } catch (java.net.SocketException reset) {
          continue; // it was still sending
        }
        if (i % 50 == 0) {
          assertEquals("\"v\"", witness.ask("HGET witness f"));
        }
      }
      await().until(() -> server.clients().open() == 1);
      await().until(() -> witness.ask("PUBLISH c m").equals(":0"));
      for (int p = 0; p < server.store().partitions(); p++) {
        int index = p;
        await().until(() -> server.store().partition(index).watched() == 0);
      }
    }
    assertTrue(answers > THROUGH_SOCKETS, "only " + answers + " answers");
  }

  private static int readAll(RespClient client) throws IOException {
    int answers = 0;
    try {
      while (true) {
        client.answer();
        answers++;
      }
    } catch (EOFException end) {
      return answers;
    }
  }

  // ---- Clients that do not read

  /** It is not read, costs a bounded amount, and is dropped when its time is over. */
  @Test
  void answersThatNobodyTakes() throws Exception {
    try (RespClient witness = connect();
        RespClient lazy = new RespClient(server.address(), 4096)) {
      witness.call("SET", "big", MEGABYTE);
      for (int i = 0; i < 200; i++) {
        lazy.send("GET", "big"); // 200 MB of answers
      }
      await().until(() -> server.clients().open() == 1);
      assertEquals("+PONG", witness.ask("PING"));
      assertTrue(server.store().commands.sum() < 150, "" + server.store().commands.sum());
    }
  }

  /** Who reads slowly gets all of it, however long that takes. */
  @Test
  void aSlowReaderIsServed() throws Exception {
    for (int left = 20; !isServedSlowly(left == 0); left--) {
      // On a busy machine it read nothing for as long as the time limit, and was dropped rightly.
    }
  }

  private boolean isServedSlowly(boolean last) throws Exception {
    try (RespClient slow = new RespClient(server.address(), 4096)) {
      slow.call("SET", "big", MEGABYTE);
      for (int i = 0; i < 7; i++) {
        slow.send("GET", "big");
      }
      for (int i = 0; i < 7; i++) {
        Thread.sleep(300); // more than the time limit in all
        assertEquals(MEGABYTE.length() + 2, slow.answer().length());
      }
      return true;
    } catch (IOException dropped) {
      if (last) {
        throw dropped;
      }
      return false;
    }
  }

  /** A subscriber that does not read is dropped; the others hear all. */
  @Test
  void messagesThatNobodyTakes() throws Exception {
    String message = "m".repeat(10_000);
    try (RespClient speaker = connect();
        RespClient good = connect();
        RespClient lazy = new RespClient(server.address(), 4096)) {
      good.ask("SUBSCRIBE c");
      lazy.ask("SUBSCRIBE c");
      int said = 0;
      while (speaker.call("PUBLISH", "c", message).equals(":2")) {
        assertTrue(++said < 10_000, "it was not dropped");
        good.answer();
      }
      assertEquals("[\"message\", \"c\", \"" + message + "\"]", good.answer());
      await().until(() -> server.clients().open() == 2);
      assertEquals(":1", speaker.call("PUBLISH", "c", "last"));
      assertEquals("[\"message\", \"c\", \"last\"]", good.answer());
    }
  }

  /** An answer may have 4 MB here. */
  @Test
  void anAnswerThatIsTooLong() throws Exception {
    try (RespClient greedy = connect();
        RespClient witness = connect()) {
      witness.call("SET", "big", MEGABYTE);
      assertTrue(greedy.call("MGET", "big", "big", "big").length() > 3_000_000);
      greedy.send("MGET", "big", "big", "big", "big", "big", "big");
      assertTrue(greedy.isEnded());
      assertEquals("+PONG", witness.ask("PING"));
    }
  }

  /** A transaction whose answer is too long is done all the same: all of it. */
  @Test
  void aTransactionWithAnAnswerThatIsTooLong() throws Exception {
    try (RespClient greedy = connect();
        RespClient witness = connect()) {
      witness.call("SET", "big", MEGABYTE);
      greedy.send("MULTI");
      for (int i = 0; i < 8; i++) {
        greedy.send("INCR", "n").send("GET", "big");
      }
      for (int i = 0; i < 17; i++) {
        greedy.answer();
      }
      greedy.send("EXEC");
      assertTrue(greedy.isEnded());
      assertEquals("\"8\"", witness.ask("GET n"));
    }
  }

  @Test
  void stringsThatAreTooLong() throws Exception {
    try (RespClient client = connect()) {
      client.call("SET", "big", MEGABYTE);
      assertEquals(
          "-ERR string exceeds maximum allowed size (proto-max-bulk-len)",
          client.call("APPEND", "big", MEGABYTE));
      client.raw("*2\r\n$3\r\nGET\r\n$1048577\r\n");
      assertEquals("-ERR Protocol error: invalid bulk length", client.answer());
      assertThrows(IOException.class, client::answer);
    }
  }
}

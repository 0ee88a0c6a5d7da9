package dev.mely.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Mutations;
import dev.mely.examples.service.Server;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
 * through sockets; and clients that do not read, or ask for too much. Another client must not
 * notice.
 */
@Timeout(300)
class HostileClientsTest {
  private static final int MESSAGES = Integer.getInteger("mely.fuzz.messages", 20_000);
  private static final int THROUGH_SOCKETS = MESSAGES / 150;
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);

  private static final String[] MESSAGES_TO_MUTATE = {
    "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\nabc\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n",
    "*5\r\n$4\r\nMSET\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n",
    "*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*1\r\n$4\r\nEXEC\r\n",
    "SET a b\r\nGET a\r\nDEL a b\r\nPING\r\nMGET a b a\r\n"
  };

  private static final String[] SPICES =
      ("\r\n,\n,\r,*,$,-1,0,99999999999,1048577,*1\r\n,$-1\r\n,$536870913\r\n,\0,\u00ff, ,MULTI\r\n"
              + ",EXEC\r\n,QUIT\r\n,*0\r\n,*-5\r\n,DEL a\r\n")
          .split(",");

  private Server server;

  @BeforeEach
  void start() throws IOException {
    server = Kv.start(SEED);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RespClient connect() throws IOException {
    return new RespClient(server.address());
  }

  private static byte[] mutated(SplittableRandom random) {
    String message = MESSAGES_TO_MUTATE[random.nextInt(MESSAGES_TO_MUTATE.length)];
    return Mutations.of(message, SPICES, random);
  }

  private static @Nullable String read(
      byte[] bytes, SplittableRandom random, int most, List<List<String>> requests) {
    RequestReader reader = new RequestReader();
    try {
      for (int at = 0; at < bytes.length; ) {
        int length = Math.min(bytes.length - at, 1 + random.nextInt(most));
        reader.take(ByteBuffer.wrap(bytes, at, length), requests);
        at += length;
      }
      return null;
    } catch (ProtocolException e) {
      return e.getMessage();
    }
  }

  /** Any input means the same in one piece and in many. */
  @Test
  void mutatedMessagesAreRead() {
    System.out.println("mutated messages: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    int refused = 0;
    for (int i = 0; i < MESSAGES; i++) {
      byte[] bytes = mutated(random);
      List<List<String>> whole = new ArrayList<>();
      List<List<String>> pieces = new ArrayList<>();
      String why = read(bytes, random, 1 << 20, whole);
      assertEquals(why, read(bytes, random, 5, pieces));
      assertEquals(whole, pieces);
      assertTrue(whole.stream().noneMatch(List::isEmpty));
      refused += why != null ? 1 : 0;
    }
    assertTrue(refused > MESSAGES / 20 && refused < MESSAGES * 19 / 20, "" + refused);
  }

  /** Each connection gets whole answers and its end; a client beside it has its own key. */
  @Test
  void mutatedMessagesAreAnswered() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    int answers = 0;
    for (int i = 0; i < THROUGH_SOCKETS; i++) {
      try (RespClient client = connect()) {
        client.raw(new String(mutated(random), StandardCharsets.ISO_8859_1));
        if (random.nextInt(4) > 0) {
          client.endOutput();
          for (; true; answers++) {
            client.answer();
          }
        }
      } catch (EOFException | SocketException end) {
        // All has been answered, or it was still sending.
      }
      if (i % 50 == 0) {
        try (RespClient witness = connect()) {
          assertEquals("+OK", witness.ask("SET witness " + i));
          assertEquals("\"" + i + "\"", witness.ask("GET witness"));
        }
      }
    }
    await().until(() -> server.clients().open() == 0);
    assertTrue(answers > THROUGH_SOCKETS, "only " + answers + " answers");
  }

  /** It is not served, so that it costs little, and is dropped when its time is over. */
  @Test
  void answersThatNobodyTakes() throws Exception {
    server.close();
    server = Kv.start(SEED, Duration.ofSeconds(3));
    try (RespClient lazy = new RespClient(server.address(), 4096)) {
      String requests = RespClient.command("GET", "big") + RespClient.command("INCR", "n");
      lazy.raw(RespClient.command("SET", "big", Kv.MEGABYTE) + requests.repeat(200)); // 200 MB
      await().until(() -> server.clients().served() == 1 && server.clients().open() == 0);
    }
    await() // this one may be as late
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              try (RespClient witness = connect()) {
                return witness.ask("GET n").matches("nil|\"\\d{1,2}\"");
              }
            });
  }

  /** Who asks for more than an answer may have is dropped; what it did is done, all of it. */
  @Test
  void anAnswerThatIsTooLong() throws Exception {
    try (RespClient greedy = connect()) {
      greedy.call("SET", "big", Kv.MEGABYTE);
      greedy.ask("MULTI");
      for (int i = 0; i < 70; i++) {
        greedy.ask("INCR n");
        greedy.ask("GET big");
      }
      greedy.raw("EXEC\nINCR n\n");
      assertTrue(greedy.isEnded());
    }
    try (RespClient witness = connect()) {
      assertEquals("\"70\"", witness.ask("GET n"));
    }
  }

  @Test
  void aTransactionThatIsTooLarge() throws Exception {
    try (RespClient greedy = connect()) {
      greedy.ask("MULTI");
      for (int i = 0; i < 31; i++) {
        assertEquals("+QUEUED", greedy.call("SET", "a", Kv.MEGABYTE));
      }
      for (int i = 0; i < 3; i++) {
        assertEquals("-ERR the transaction is too large", greedy.call("SET", "a", Kv.MEGABYTE));
      }
      assertTrue(greedy.ask("EXEC").startsWith("-EXECABORT "));
      assertEquals("nil", greedy.ask("GET a"));
    }
  }
}

package dev.mely.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What cannot be left to a comparison with Redis: time, other clients, errors word for word. */
@Timeout(180)
class CommandsTest {
  private final AtomicLong clock = new AtomicLong(1_000_000_000_000L);
  private KvServer server;
  private RespClient client;

  @BeforeEach
  void start() throws IOException {
    server = Kv.start(Kv.config(null, Fsync.NO), clock);
    client = connect();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private RespClient connect() throws IOException {
    return new RespClient(server.address());
  }

  private void expect(String answer, String line) throws IOException {
    assertEquals(answer, client.ask(line), line);
  }

  @Test
  void errorsWordForWord() throws Exception {
    expect("-ERR unknown command 'FOO', with args beginning with: 'a' 'b' ", "FOO a b");
    expect("-ERR wrong number of arguments for 'get' command", "GET");
    expect("-ERR wrong number of arguments for 'mset' command", "MSET a 1 b");
    expect("-ERR syntax error", "SET a 1 EX 5 PX 5");
    expect("-ERR syntax error", "SET a 1 NX XX");
    expect("-ERR invalid expire time in 'set' command", "SET a 1 EX 0");
    expect("-ERR invalid expire time in 'setex' command", "SETEX a -1 1");
    expect("-ERR value is not an integer or out of range", "SET a 1 PX x");
    expect("+OK", "SET a x");
    expect("-ERR value is not an integer or out of range", "INCR a");
    expect("+OK", "SET n 9223372036854775807");
    expect("-ERR increment or decrement would overflow", "INCR n");
    expect("-ERR decrement would overflow", "DECRBY n -9223372036854775808");
    expect("-WRONGTYPE Operation against a key holding the wrong kind of value", "HGET a f");
    expect("-WRONGTYPE Operation against a key holding the wrong kind of value", "SADD a f");
    expect(":1", "HSET h f x");
    expect("-ERR hash value is not an integer", "HINCRBY h f 1");
    expect("-WRONGTYPE Operation against a key holding the wrong kind of value", "GET h");
    expect("[nil, \"x\"]", "MGET h a");
    expect("-ERR DB index is out of range", "SELECT 1");
    expect("+OK", "SELECT 0");
    expect("-ERR invalid cursor", "SCAN x");
    expect("-NOPROTO unsupported protocol version", "HELLO 4");
    expect("-ERR EXEC without MULTI", "EXEC");
    expect("-ERR DISCARD without MULTI", "DISCARD");
    expect("-ERR unknown subcommand 'BAR'. Try CLIENT HELP.", "CLIENT BAR");
  }

  // ---- Time

  @Test
  void keysEnd() throws Exception {
    expect("+OK", "SET a 1 EX 10");
    expect("+OK", "SET b 1 PX 10000");
    expect("+OK", "SET c 1");
    expect(":1", "PEXPIRE c 10001");
    expect(":10", "TTL a");
    expect(":10001", "PTTL c");
    expect(":-1", "TTL " + some("SET d 1", "d"));
    expect(":-2", "TTL nothing");
    clock.addAndGet(10_000);
    expect("nil", "GET a");
    expect(":0", "EXISTS a b");
    expect("\"1\"", "GET c");
    expect(":1", "PERSIST c");
    clock.addAndGet(10_000);
    expect("\"1\"", "GET c");
    assertEquals(List.of("\"c\"", "\"d\""), RespClient.sorted(client.ask("KEYS [cd]")));
  }

  private String some(String line, String key) throws IOException {
    expect("+OK", line);
    return key;
  }

  @Test
  void anEndIsKeptOrForgotten() throws Exception {
    expect("+OK", "SET a 1 EX 10");
    expect(":2", "INCR a");
    expect(":10", "TTL a");
    expect("+OK", "SET a 5 KEEPTTL");
    expect(":10", "TTL a");
    expect("\"5\"", "GETSET a 6");
    expect(":-1", "TTL a");
    expect(":1", "EXPIRE a 5 NX");
    expect(":0", "EXPIRE a 6 NX");
    expect(":0", "EXPIRE a 4 GT");
    expect(":1", "EXPIRE a 7 GT");
    expect(":1", "EXPIRE a 3 LT");
    expect(":1", "EXPIRE a -1");
    expect(":0", "EXISTS a");
  }

  /** Nobody asks for them, and they go all the same. */
  @Test
  void expiredKeysAreTakenOut() throws Exception {
    for (int i = 0; i < 2_000; i++) {
      client.send("SET", "k" + i, "v", "PX", "" + (1 + i % 50));
    }
    for (int i = 0; i < 2_000; i++) {
      assertEquals("+OK", client.answer());
    }
    expect("+OK", "SET stays 1 PX 60");
    expect(":2001", "DBSIZE");
    clock.addAndGet(55);
    await().until(() -> client.ask("DBSIZE").equals(":1"));
    expect("\"1\"", "GET stays");
    assertEquals(2_000, server.store().expired.sum());
  }

  // ---- Transactions

  @Test
  void transactions() throws Exception {
    expect("+OK", "MULTI");
    expect("-ERR MULTI calls can not be nested", "MULTI");
    expect("-ERR WATCH inside MULTI is not allowed", "WATCH a");
    expect("+QUEUED", "SET a 1");
    expect("+QUEUED", "HGET a f");
    expect("+QUEUED", "DBSIZE");
    expect("+QUEUED", "KEYS *");
    expect(
        "[+OK, -WRONGTYPE Operation against a key holding the wrong kind of value, :1, [\"a\"]]",
        "EXEC");
    expect("+OK", "MULTI");
    expect("-ERR unknown command 'FOO', with args beginning with: ", "FOO");
    expect("+QUEUED", "SET a 2");
    expect("-EXECABORT Transaction discarded because of previous errors.", "EXEC");
    expect("\"1\"", "GET a");
    expect("+OK", "MULTI");
    expect("+QUEUED", "SET a 2");
    expect("+OK", "DISCARD");
    expect("\"1\"", "GET a");
    expect("+OK", "MULTI");
    expect("-ERR Command not allowed inside a transaction", "SUBSCRIBE c");
    expect("-EXECABORT Transaction discarded because of previous errors.", "EXEC");
  }

  @Test
  void watchedKeys() throws Exception {
    try (RespClient other = connect()) {
      watch("SET a 1", other, "SET a 1", "nil"); // the same value is a change, too
      watch("SET a 1", other, "GET a", "[+OK]");
      watch("DEL a", other, "SET a 1", "nil");
      watch("DEL a", other, "DEL a", "[+OK]");
      watch("SET a 1", other, "FLUSHALL", "nil");
      watch("DEL a", other, "FLUSHALL", "[+OK]");
      watch("SET a 1", other, "SETNX a 2", "[+OK]");
      watch("SET a 1", other, "EXPIRE a 100", "nil");
      watch("SET a 1 EX 5", other, "PERSIST a", "nil");
    }
    await().until(() -> watched() == 0);
  }

  private long watched() {
    long watched = 0;
    for (int i = 0; i < server.store().partitions(); i++) {
      watched += server.store().partition(i).watched();
    }
    return watched;
  }

  private void watch(String before, RespClient other, String change, String outcome)
      throws IOException {
    client.ask(before);
    expect("+OK", "WATCH a b");
    other.ask(change);
    expect("+OK", "MULTI");
    expect("+QUEUED", "SET b 1");
    assertEquals(outcome, client.ask("EXEC"), before + "; " + change);
    client.ask("DEL a b");
  }

  @Test
  void aWatchedKeyThatEndsIsAChange() throws Exception {
    expect("+OK", "SET a 1 PX 5");
    expect("+OK", "WATCH a");
    clock.addAndGet(5);
    expect("+OK", "MULTI");
    expect("+QUEUED", "SET b 1");
    expect("nil", "EXEC");
  }

  /** Who goes away leaves nothing behind. */
  @Test
  void leavingUnwatchesAndUnsubscribes() throws Exception {
    for (int i = 0; i < 20; i++) {
      try (RespClient other = connect()) {
        assertEquals("+OK", other.ask("WATCH a b c"));
        assertTrue(other.ask("HELLO 3").startsWith("{"));
        other.send("SUBSCRIBE", "x", "y").send("PSUBSCRIBE", "z*");
        for (int n = 0; n < 3; n++) {
          other.answer();
        }
      }
    }
    await().until(() -> watched() == 0);
    await().until(() -> client.ask("PUBLISH zoo m").equals(":0"));
    await().until(() -> client.ask("PUBLISH x m").equals(":0"));
    await().until(() -> server.store().topics().isEmpty());
  }

  // ---- Order

  /** Commands of one piece take effect in their order, over all partitions, and are so answered. */
  @Test
  void pipelinesKeepTheirOrder() throws Exception {
    List<String[]> commands = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      String key = "k" + i % 97;
      switch (i % 5) {
        case 0 -> add(commands, expected, "+OK", "SET", key, "v" + i);
        case 1 -> {
          add(commands, expected, "+OK", "SET", "x", "" + i);
          add(commands, expected, "\"" + i + "\"", "GET", "x");
        }
        case 2 -> add(commands, expected, "+PONG", "PING");
        case 3 -> {
          add(commands, expected, "+OK", "MSET", "p" + key, "1", "q" + key, "" + i);
          add(commands, expected, "[\"1\", \"" + i + "\"]", "MGET", "p" + key, "q" + key);
        }
        default -> {
          add(commands, expected, "+OK", "MULTI");
          add(commands, expected, "+QUEUED", "SET", "y", "" + i);
          add(commands, expected, "+QUEUED", "GET", "y");
          add(commands, expected, "[+OK, \"" + i + "\"]", "EXEC");
        }
      }
    }
    assertEquals(expected, client.pipeline(commands));
  }

  private static void add(
      List<String[]> commands, List<String> expected, String answer, String... words) {
    commands.add(words);
    expected.add(answer);
  }

  // ---- All keys

  @Test
  void scansReachAllKeys() throws Exception {
    Set<String> all = new TreeSet<>();
    for (int i = 0; i < 5_000; i++) {
      all.add("\"k" + i + "\"");
      client.send("SET", "k" + i, "v");
    }
    for (int i = 0; i < 5_000; i++) {
      client.answer();
    }
    expect(":1", "HSET h f v");
    for (String count : List.of("1", "10", "1000", "1000000", "9223372036854775807")) {
      Set<String> found = new TreeSet<>();
      String cursor = "0";
      do {
        String answer = client.call("SCAN", cursor, "COUNT", count, "MATCH", "k*");
        cursor = answer.substring(2, answer.indexOf('"', 2));
        String keys = answer.substring(answer.indexOf(", ") + 2, answer.length() - 1);
        if (!keys.equals("[]")) {
          found.addAll(RespClient.sorted(keys));
        }
      } while (!cursor.equals("0"));
      assertEquals(all, found, "COUNT " + count);
    }
    expect("[\"0\", [\"h\"]]", "SCAN 0 COUNT 100000 TYPE hash");
    assertEquals(List.copyOf(all), RespClient.sorted(client.ask("KEYS k*")));
    expect(":5001", "DBSIZE");
    expect("+OK", "FLUSHALL");
    expect(":0", "DBSIZE");
  }

  // ---- Channels

  @Test
  void channels() throws Exception {
    try (RespClient ear = connect()) {
      assertEquals("[\"subscribe\", \"a\", :1]", ear.ask("SUBSCRIBE a"));
      assertEquals("[\"psubscribe\", \"b*\", :2]", ear.ask("PSUBSCRIBE b*"));
      expect(":1", "PUBLISH a hello");
      expect(":1", "PUBLISH bee buzz");
      expect(":0", "PUBLISH c nobody");
      assertEquals("[\"message\", \"a\", \"hello\"]", ear.answer());
      assertEquals("[\"pmessage\", \"b*\", \"bee\", \"buzz\"]", ear.answer());
      assertEquals(
          "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET"
              + " are allowed in this context",
          ear.ask("GET a"));
      assertEquals("[\"pong\", \"\"]", ear.ask("PING"));
      assertEquals("[\"unsubscribe\", \"a\", :1]", ear.ask("UNSUBSCRIBE"));
      assertEquals("[\"punsubscribe\", \"b*\", :0]", ear.ask("PUNSUBSCRIBE b*"));
      assertEquals("[\"unsubscribe\", nil, :0]", ear.ask("UNSUBSCRIBE"));
      assertEquals("nil", ear.ask("GET a"));
    }
  }

  /** In each channel all hear the same order; after the farewell nothing is heard. */
  @Test
  void messagesKeepTheirOrder() throws Exception {
    try (RespClient ear = connect();
        RespClient other = connect()) {
      for (int round = 0; round < 20; round++) {
        assertEquals("[\"subscribe\", \"c\", :1]", ear.ask("SUBSCRIBE c"));
        for (int i = 0; i < 100; i++) {
          other.send("PUBLISH", "c", "o" + i);
          client.send("PUBLISH", "c", "m" + i);
        }
        ear.send("UNSUBSCRIBE", "c").send("PING");
        int heardM = -1;
        int heardO = -1;
        String heard = ear.answer();
        while (heard.startsWith("[\"message\"")) {
          int number = Integer.parseInt(heard.replaceAll(".*\"[mo](\\d+)\"]", "$1"));
          if (heard.matches(".*\"m\\d+\"]")) {
            assertEquals(++heardM, number);
          } else {
            assertEquals(++heardO, number);
          }
          heard = ear.answer();
        }
        assertEquals("[\"unsubscribe\", \"c\", :0]", heard);
        assertEquals("+PONG", ear.answer());
        for (int i = 0; i < 100; i++) {
          other.answer();
          client.answer();
        }
      }
    }
  }

  /** However long the way home is, nothing is heard before the confirmation. */
  @Test
  void confirmationsComeFirst() throws Exception {
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 200; i++) {
        client.send("PUBLISH", "c", "m");
      }
      try (RespClient ear = connect()) {
        List<String[]> commands = new ArrayList<>();
        commands.add(new String[] {"SUBSCRIBE", "c"});
        for (int i = 0; i < 50; i++) {
          commands.add(new String[] {"SUBSCRIBE", "d" + i}); // elsewhere
        }
        assertEquals("[\"subscribe\", \"c\", :1]", ear.pipeline(commands).get(0));
      }
      for (int i = 0; i < 200; i++) {
        client.answer();
      }
    }
  }

  @Test
  void version3() throws Exception {
    assertTrue(client.ask("HELLO 3 SETNAME me").startsWith("{\"server\", \"redis\", "));
    expect("\"me\"", "CLIENT GETNAME");
    expect(":2", "HSET h f 1 g 2");
    expect("{\"f\", \"1\", \"g\", \"2\"}", "HGETALL h");
    expect(":1", "SADD s m");
    expect("(\"m\")", "SMEMBERS s");
    expect("nil", "GET none");
    expect(">[\"subscribe\", \"c\", :1]", "SUBSCRIBE c");
    expect("+PONG", "PING");
    expect("{\"save\", \"\"}", "CONFIG GET save");
    assertTrue(client.ask("INFO keyspace").contains("db0:keys=2,"));
    expect("+RESET", "RESET");
    expect("[\"f\", \"1\", \"g\", \"2\"]", "HGETALL h");
  }

  @Test
  void theConnection() throws Exception {
    expect("+PONG", "PING");
    expect("\"hi\"", "PING hi");
    expect("\"hi\"", "ECHO hi");
    String mine = client.ask("CLIENT ID");
    try (RespClient other = connect()) {
      assertNotEquals(mine, other.ask("CLIENT ID"));
      assertEquals("+OK", other.send("QUIT").send("PING").answer());
      assertTrue(other.isEnded());
    }
    client.raw("PING\r\nSET a 'b c'\r\nGET a\r\n");
    assertEquals("+PONG", client.answer());
    assertEquals("+OK", client.answer());
    assertEquals("\"b c\"", client.answer());
    client.raw("GET a\r\n*1\r\n$x\r\nGET a\r\n");
    assertEquals("\"b c\"", client.answer());
    assertEquals("-ERR Protocol error: invalid bulk length", client.answer());
    assertTrue(client.isEnded());
  }

  /** Who has ended its output still gets its answers. */
  @Test
  void halfClosed() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      client.send("INCR", "n" + i % 10);
    }
    client.endOutput();
    for (int i = 0; i < 1_000; i++) {
      assertEquals(":" + (1 + i / 10), client.answer());
    }
    assertTrue(client.isEnded());
  }
}

package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.examples.service.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the comparison with Redis leaves out: sizes, orders, connections. */
@Timeout(180)
class CommandsTest {
  private Server server;
  private RespClient client;

  @BeforeEach
  void start() throws IOException {
    server = Kv.start(1);
    client = new RespClient(server.address());
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private void expect(String answer, String line) throws IOException {
    assertEquals(answer, client.ask(line), line);
  }

  @Test
  void errorsWordForWord() throws Exception {
    expect("-ERR unknown command 'FOO'", "FOO a b");
    expect("-ERR unknown command 'HELLO'", "HELLO 3");
    expect("-ERR unknown command '" + "x".repeat(128) + "'", "x".repeat(100_000));
    assertEquals("-ERR unknown command 'a  b'", client.call("a\r\nb"));
    for (String line : List.of("GET", "get a b", "SET a", "SET a 1 NX", "MSET a 1 b", "EXEC now")) {
      String name = line.split(" ")[0].toLowerCase(java.util.Locale.ROOT);
      expect("-ERR wrong number of arguments for '" + name + "' command", line);
    }
    expect("-ERR EXEC without MULTI", "EXEC");
    expect("-ERR DISCARD without MULTI", "DISCARD");
  }

  @Test
  void onlyNumbersAreIncremented() throws Exception {
    expect(":1", "INCR n");
    for (String wrong : List.of("x", "", " 1", "+1", "01", "-0", "1.0", "9223372036854775808")) {
      assertEquals("+OK", client.call("SET", "a", wrong));
      expect("-ERR value is not an integer or out of range", "INCR a");
      assertEquals('"' + wrong + '"', client.ask("GET a"));
    }
    expect("+OK", "SET n 9223372036854775806");
    expect(":9223372036854775807", "INCR n");
    expect("-ERR increment or decrement would overflow", "INCR n");
    expect("+OK", "SET n -9223372036854775808");
    expect(":-9223372036854775807", "INCR n");
  }

  @Test
  void keysAndValuesAreBytes() throws Exception {
    String key = "\u0000\r\n\u00ff";
    assertEquals("+OK", client.call("SET", key, "\u00e4\u0000\n"));
    assertEquals("[\"\u00e4\u0000\n\", nil]", client.call("MGET", key, "\u0000\r\n\u00fe"));
    assertEquals(":1", client.call("DEL", key, key, ""));
    assertEquals("nil", client.call("GET", key));
  }

  @Test
  void manyArguments() throws Exception {
    List<String> mset = new ArrayList<>(List.of("MSET"));
    List<String> mget = new ArrayList<>(List.of("MGET"));
    for (int i = 0; i < 100_000; i++) {
      mset.addAll(List.of("k" + i, "" + i));
      mget.add("k" + i);
    }
    assertEquals("+OK", client.call(mset.toArray(String[]::new)));
    String all = client.call(mget.toArray(String[]::new));
    assertTrue(all.startsWith("[\"0\", \"1\", ") && all.endsWith(", \"99999\"]"), "not all");
    mget.set(0, "DEL");
    assertEquals(":100000", client.call(mget.toArray(String[]::new)));
  }

  /** Commands of one piece take effect in their order, over all parts, and are so answered. */
  @Test
  void pipelinesKeepTheirOrder() throws Exception {
    List<String[]> commands = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      String key = "k" + i % 97;
      commands.add(new String[] {"SET", key, "" + i});
      commands.add(new String[] {"MSET", "p" + key, "1", "q" + key, "" + i});
      commands.add(new String[] {"PING"});
      commands.add(new String[] {"MGET", key, "p" + key, "q" + key});
      commands.add(new String[] {"MULTI"});
      commands.add(new String[] {"INCR", key});
      commands.add(new String[] {"EXEC"});
      expected.addAll(List.of("+OK", "+OK", "+PONG", "[\"" + i + "\", \"1\", \"" + i + "\"]"));
      expected.addAll(List.of("+OK", "+QUEUED", "[:" + (i + 1) + "]"));
    }
    assertEquals(expected, client.pipeline(commands));
  }

  @Test
  void theConnection() throws Exception {
    expect("\"hi\"", "PING hi");
    expect("\"hi\"", "ECHO hi");
    try (RespClient other = new RespClient(server.address())) {
      assertEquals("+OK", other.send("QUIT").send("SET", "a", "1").answer());
      assertTrue(other.isEnded());
    }
    client.raw("PING\r\nGET a\r\n*1\r\n$x\r\nSET a 1\r\n");
    assertEquals("+PONG", client.answer());
    assertEquals("nil", client.answer());
    assertEquals("-ERR Protocol error: invalid bulk length", client.answer());
    assertTrue(client.isEnded());
  }

  /** Who has ended its output still gets its answers. */
  @Test
  void halfClosed() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      client.send("INCR", "n" + i % 10);
    }
    client.raw("*2\r\n$4\r\nINCR\r\n$2\r\nn"); // and a half, which is not done
    client.endOutput();
    for (int i = 0; i < 1_000; i++) {
      assertEquals(":" + (1 + i / 10), client.answer());
    }
    assertTrue(client.isEnded());
  }

  /** It gets all answers, in order, although none is done before there is room for it. */
  @Test
  void aSlowReaderIsServed() throws Exception {
    try (RespClient slow = new RespClient(server.address())) {
      slow.call("SET", "big", Kv.MEGABYTE);
      for (int i = 0; i < 40; i++) {
        slow.send("GET", "big").send("INCR", "n");
      }
      for (int i = 1; i <= 40; i++) {
        assertEquals(Kv.MEGABYTE.length() + 2, slow.answer().length());
        assertEquals(":" + i, slow.answer());
      }
    }
  }

  /** What is asked for is what is used: the store checks it where tests run. */
  @Test
  void nobodyReadsOrWritesUnasked() {
    try (Mely mely = Mely.builder().build()) {
      Store store = new Store(mely);
      assertThrows(AssertionError.class, () -> store.get("a"));
      assertThrows(AssertionError.class, () -> store.put("a", "1"));
    }
  }
}

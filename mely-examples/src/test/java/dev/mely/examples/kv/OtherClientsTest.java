package dev.mely.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.SetArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that were not written for this server: redis-cli, redis-benchmark and Lettuce. */
@Timeout(300)
class OtherClientsTest {
  private KvServer server;
  private String port;

  @BeforeEach
  void start() throws IOException {
    server = Kv.start();
    port = "" + server.address().getPort();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String cli(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("redis-cli", "-h", "127.0.0.1", "-p", port));
    command.addAll(List.of(words));
    return Programs.output(command.toArray(String[]::new));
  }

  @Test
  void redisCli() throws Exception {
    assumeTrue(Programs.run("redis-cli", "--version"), "redis-cli is not installed");
    assertEquals("PONG\n", cli("ping"));
    assertEquals("OK\n", cli("set", "greeting", "hello world"));
    assertEquals("hello world\n", cli("get", "greeting"));
    assertEquals("2\n", cli("hset", "h", "f", "1", "g", "2"));
    assertEquals("f\n1\ng\n2\n", cli("hgetall", "h"));
    assertEquals("1# \"f\" => \"1\"\n2# \"g\" => \"2\"\n", cli("-3", "--no-raw", "hgetall", "h"));
    assertEquals("h\n", cli("--scan", "--pattern", "h"));
    assertTrue(cli("get", "h").startsWith("WRONGTYPE"));
    assertTrue(cli("info").contains("db0:keys=2,"));
    Process pipe =
        new ProcessBuilder("redis-cli", "-h", "127.0.0.1", "-p", port, "--pipe")
            .redirectErrorStream(true)
            .start();
    try (java.io.OutputStream in = pipe.getOutputStream()) {
      for (int i = 0; i < 10_000; i++) {
        in.write(RespClient.command("SET", "p" + i, "v" + i));
      }
    }
    String said = new String(pipe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(said.contains("errors: 0, replies: 10000"), said);
    assertEquals("10002\n", cli("dbsize"));
  }

  @Test
  void redisBenchmark() throws Exception {
    assumeTrue(
        Programs.run("sh", "-c", "command -v redis-benchmark > /dev/null"),
        "redis-benchmark is not installed");
    String said =
        Programs.output(
            "redis-benchmark",
            "-p",
            port,
            "-n",
            "2000",
            "-q",
            "-P",
            "16",
            "-r",
            "100",
            "-t",
            "ping,set,get,incr,sadd,hset,mset");
    assertTrue(said.contains("SET: "), said);
    assertTrue(said.contains("MSET (10 keys): "), said);
    assertFalse(said.toLowerCase(java.util.Locale.ROOT).contains("error"), said);
  }

  @Test
  void lettuce() throws Exception {
    RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      RedisCommands<String, String> commands = connection.sync();
      assertEquals("OK", commands.set("a", "1"));
      assertEquals(null, commands.set("a", "2", SetArgs.Builder.nx()));
      assertEquals("OK", commands.set("a", "2", SetArgs.Builder.xx().ex(1_000)));
      assertTrue(commands.ttl("a") > 100);
      assertEquals(3, commands.incr("a"));
      assertEquals("OK", commands.mset(Map.of("b", "5", "c", "6")));
      assertEquals(
          List.of(KeyValue.just("b", "5"), KeyValue.just("c", "6"), KeyValue.empty("d")),
          commands.mget("b", "c", "d"));
      assertEquals(2, commands.hset("h", Map.of("f", "x", "g", "y")));
      assertEquals(Map.of("f", "x", "g", "y"), commands.hgetall("h"));
      assertEquals(3, commands.sadd("s", "x", "y", "z"));
      assertEquals(Set.of("x", "y", "z"), commands.smembers("s"));
      RedisCommandExecutionException error =
          Assertions.assertThrows(RedisCommandExecutionException.class, () -> commands.get("h"));
      assertEquals(
          "WRONGTYPE Operation against a key holding the wrong kind of value", error.getMessage());
      assertEquals("OK", commands.watch("a"));
      assertEquals("OK", commands.multi());
      commands.incr("a");
      commands.hget("h", "f");
      TransactionResult result = commands.exec();
      assertEquals(List.of(4L, "x"), List.of(result.get(0), result.get(1)));
      manyAtATime(connection.async(), commands);
      messages(client, commands);
    } finally {
      client.shutdown(0, 5, java.util.concurrent.TimeUnit.SECONDS);
    }
  }

  private static void manyAtATime(
      RedisAsyncCommands<String, String> async, RedisCommands<String, String> commands)
      throws Exception {
    List<RedisFuture<String>> answers = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      async.set("k" + i, "v" + i);
      answers.add(async.get("k" + i));
    }
    for (int i = 0; i < 2_000; i++) {
      assertEquals("v" + i, answers.get(i).get());
    }
    Set<String> found = new HashSet<>();
    ScanArgs args = ScanArgs.Builder.limit(100).match("k*");
    KeyScanCursor<String> cursor = commands.scan(ScanCursor.INITIAL, args);
    found.addAll(cursor.getKeys());
    while (!cursor.isFinished()) {
      cursor = commands.scan(cursor, args);
      found.addAll(cursor.getKeys());
    }
    assertEquals(2_000, found.size());
  }

  private static void messages(RedisClient client, RedisCommands<String, String> commands) {
    ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
    try (StatefulRedisPubSubConnection<String, String> ear = client.connectPubSub()) {
      ear.addListener(
          new RedisPubSubAdapter<String, String>() {
            @Override
            public void message(String channel, String message) {
              heard.add(channel + ": " + message);
            }
          });
      ear.sync().subscribe("news");
      assertEquals(1, commands.publish("news", "one"));
      assertEquals(1, commands.publish("news", "two"));
      await().until(() -> heard.size() == 2);
      assertEquals(List.of("news: one", "news: two"), List.copyOf(heard));
    }
  }
}

package dev.mely.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code -Dmely.kv.commands} commands, drawn from {@code -Dmely.kv.seed}, to Redis and to this
 * server: the answers must be equal, byte for byte but for what Redis leaves open.
 */
@Timeout(300)
class AgainstRedisTest {
  private static final int COMMANDS = Integer.getInteger("mely.kv.commands", 15_000);
  private static final long SEED = Long.getLong("mely.kv.seed", 1);
  private static final int PIECE = 40;

  private static final String[] FORMS = {
    "GET K",
    "SET K V",
    "SET K V NX",
    "SET K V XX",
    "SET K V EX 1000",
    "SET K V PX 1000000 GET",
    "SET K V KEEPTTL",
    "SET K V GET",
    "SET K V XX GET",
    "SET K V BAD",
    "SET K V EX 0",
    "SET K V EX x",
    "SETNX K V",
    "SETEX K 1000 V",
    "PSETEX K 0 V",
    "GETSET K V",
    "GETDEL K",
    "STRLEN K",
    "INCR K",
    "DECR K",
    "INCRBY K I",
    "DECRBY K I",
    "INCRBY K x",
    "APPEND K V",
    "MGET K K K",
    "MSET K V K V",
    "MSETNX K V K V",
    "MSET K V K",
    "MSETNX K V K V K V",
    "DEL K",
    "DEL K K K",
    "UNLINK K",
    "EXISTS K K",
    "TYPE K",
    "TOUCH K K",
    "EXPIRE K 1000",
    "EXPIRE K 0",
    "EXPIRE K -1 NX",
    "EXPIRE K 500 XX",
    "EXPIRE K 2000 GT",
    "EXPIRE K 300 LT",
    "EXPIRE K 1 NX XX",
    "EXPIRE K 1 GT LT",
    "EXPIRE K 5 WHAT",
    "EXPIRE K x",
    "EXPIRE K 9223372036854775807",
    "PEXPIRE K 3000000",
    "PEXPIRE K 9223372036854775807",
    "EXPIREAT K 1",
    "PERSIST K",
    "TTL K",
    "TTL K",
    "HSET K F V",
    "HSET K F V F V",
    "HSET K F",
    "HSET K F I",
    "HMSET K F V F V",
    "HSETNX K F V",
    "HGET K F",
    "HMGET K F F F",
    "HDEL K F",
    "HDEL K F F F",
    "HLEN K",
    "HEXISTS K F",
    "HSTRLEN K F",
    "HGETALL K",
    "HKEYS K",
    "HVALS K",
    "HINCRBY K F I",
    "HINCRBY K F x",
    "SADD K M",
    "SADD K M M M",
    "SREM K M",
    "SREM K M M",
    "SISMEMBER K M",
    "SMISMEMBER K M M",
    "SCARD K",
    "SMEMBERS K",
    "KEYS *",
    "KEYS k[0-3]",
    "DBSIZE",
    "MULTI",
    "EXEC",
    "EXEC",
    "DISCARD",
    "WATCH K",
    "WATCH K K",
    "UNWATCH",
    "PING",
    "PING V",
    "ECHO V",
    "ECHO",
    "GET",
    "GET K K",
    "NOSUCH K V",
    "nosuch",
    "SELECT 0",
    "SELECT 1",
    "SELECT x",
    "CLIENT GETNAME",
    "CLIENT SETNAME M",
    "FLUSHALL BAD",
    "SCAN x",
    "SCAN 0 COUNT 0",
    "SCAN 0 COUNT x",
    "SCAN 0 WHAT 1",
    "PUBLISH M V",
    "TIME x",
    "HELLO 9",
    "HELLO x"
  };

  @TempDir private Path folder;

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void theSameAnswers() throws Exception {
    assumeTrue(Programs.run("redis-server", "--version"), "redis-server is not installed");
    System.out.println("against Redis: -Dmely.kv.seed=" + SEED);
    InetSocketAddress address = freeAddress();
    Process redis = launch(address);
    try (KvServer kv = Kv.start()) {
      while (!comesUp(redis, address)) { // somebody else has taken the port since it was chosen
        address = freeAddress();
        redis = launch(address);
      }
      for (int done = 0, epoch = 0; done < COMMANDS; epoch++) {
        done += epoch(address, kv.address(), epoch);
      }
    } finally {
      redis.destroy();
      redis.waitFor();
    }
  }

  private static InetSocketAddress freeAddress() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return (InetSocketAddress) free.getLocalSocketAddress();
    }
  }

  private Process launch(InetSocketAddress address) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                "redis-server",
                "--port",
                "" + address.getPort(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--databases",
                "1",
                "--dir",
                folder.toString())
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD);
    // It refuses to start in a locale that is named but not installed.
    builder.environment().put("LC_ALL", "C");
    return builder.start();
  }

  /** Waits until it answers. False if it has ended instead. */
  private static boolean comesUp(Process redis, InetSocketAddress address) {
    await().until(() -> !redis.isAlive() || answers(address));
    return redis.isAlive();
  }

  private static boolean answers(InetSocketAddress address) {
    try (RespClient client = new RespClient(address)) {
      return client.ask("PING").equals("+PONG");
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Two clients, from an empty server on; returns how many commands there were. */
  private int epoch(InetSocketAddress redis, InetSocketAddress kv, int epoch) throws IOException {
    int done = 0;
    try (RespClient redis1 = new RespClient(redis);
        RespClient redis2 = new RespClient(redis);
        RespClient kv1 = new RespClient(kv);
        RespClient kv2 = new RespClient(kv)) {
      redis1.ask("FLUSHALL");
      kv1.ask("FLUSHALL");
      if (epoch % 2 == 1) {
        redis1.ask("HELLO 3");
        kv1.ask("HELLO 3");
      }
      boolean[] queued = new boolean[2];
      for (int piece = 0; piece < 25; piece++) {
        int who = random.nextInt(2);
        List<String[]> commands = new ArrayList<>();
        for (int i = 1 + random.nextInt(PIECE); i > 0; i--) {
          commands.add(next(queued, who));
        }
        List<String> expected = (who == 0 ? redis1 : redis2).pipeline(commands);
        List<String> answers = (who == 0 ? kv1 : kv2).pipeline(commands);
        for (int i = 0; i < commands.size(); i++) {
          String[] words = commands.get(i);
          assertSame(words, expected.get(i), answers.get(i), epoch);
        }
        done += commands.size();
      }
    }
    return done;
  }

  private String[] next(boolean[] queued, int who) {
    while (true) {
      String form = FORMS[random.nextInt(FORMS.length)];
      String name = form.split(" ")[0];
      if (queued[who] && List.of("SMEMBERS", "KEYS", "TTL").contains(name)) {
        continue; // what is left open cannot be told apart in there
      }
      if (name.equals("MULTI")) {
        queued[who] = true;
      } else if (name.equals("EXEC") || name.equals("DISCARD")) {
        queued[who] = false;
      }
      String[] words = form.split(" ");
      for (int i = 1; i < words.length; i++) {
        words[i] =
            switch (words[i]) {
              case "K" -> "k" + random.nextInt(8);
              case "F" -> "f" + random.nextInt(4);
              case "M" -> "m" + random.nextInt(6);
              case "V" -> value();
              case "I" -> "" + (random.nextInt(20) - 10);
              default -> words[i];
            };
      }
      if (random.nextInt(10) == 0) {
        words[0] = words[0].toLowerCase(Locale.ROOT);
      }
      return words;
    }
  }

  private String value() {
    return switch (random.nextInt(6)) {
      case 0 -> "" + random.nextInt(1000);
      case 1 -> "";
      case 2 -> "9223372036854775807";
      case 3 -> "two words\r\n\0";
      default -> "v" + random.nextInt(100);
    };
  }

  private static void assertSame(String[] words, String expected, String answer, int epoch) {
    String shown = "epoch " + epoch + ": " + String.join(" ", words);
    String name = words[0].toUpperCase(Locale.ROOT);
    boolean list = expected.startsWith("[") || expected.startsWith("(");
    if (list && (name.equals("KEYS") || name.equals("SMEMBERS"))) {
      assertEquals(RespClient.sorted(expected), RespClient.sorted(answer), shown);
      assertEquals(expected.charAt(0), answer.charAt(0), shown);
    } else if (name.equals("TTL") && expected.startsWith(":") && expected.length() > 2) {
      long difference = Long.parseLong(expected.substring(1)) - Long.parseLong(answer.substring(1));
      assertTrue(Math.abs(difference) <= 60, shown + ": " + expected + ", " + answer);
    } else {
      assertEquals(expected, answer, shown);
    }
  }
}

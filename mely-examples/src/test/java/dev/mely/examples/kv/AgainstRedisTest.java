package dev.mely.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.examples.service.Server;
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
 * server: the answers must be equal, byte for byte.
 */
@Timeout(300)
class AgainstRedisTest {
  private static final int COMMANDS = Integer.getInteger("mely.kv.commands", 15_000);
  private static final long SEED = Long.getLong("mely.kv.seed", 1);

  /** K: a key, V: a value. */
  private static final String[] FORMS =
      """
      GET K,GET K,GET,GET K K,SET K V,SET K V,SET K,INCR K,INCR K,INCR,MGET K,MGET K K K,MGET,\
      MSET K V,MSET K V K V,DEL K,DEL K K K,DEL,MULTI,EXEC,EXEC,DISCARD,PING,\
      PING V,ECHO V,ECHO,NOSUCH"""
          .split(",");

  @TempDir private Path folder;

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void theSameAnswers() throws Exception {
    assumeTrue(Programs.run("redis-server", "--version"), "redis-server is not installed");
    System.out.println("against Redis: -Dmely.kv.seed=" + SEED);
    InetSocketAddress address = freeAddress();
    Process redis = launch(address.getPort());
    try (Server kv = Kv.start(SEED)) {
      while (!comesUp(redis, address)) { // another program has taken the port since it was chosen
        address = freeAddress();
        redis = launch(address.getPort());
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

  private Process launch(int port) throws IOException {
    // In a locale that is named but not installed it would refuse to start.
    String command = "LC_ALL=C exec redis-server --bind 127.0.0.1 --save '' --port " + port;
    return new ProcessBuilder("sh", "-c", command)
        .directory(folder.toFile())
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD)
        .start();
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

  /** Two clients, with keys that are new; returns how many commands there were. */
  private int epoch(InetSocketAddress redis, InetSocketAddress kv, int epoch) throws IOException {
    int done = 0;
    try (RespClient redis1 = new RespClient(redis);
        RespClient redis2 = new RespClient(redis);
        RespClient kv1 = new RespClient(kv);
        RespClient kv2 = new RespClient(kv)) {
      for (int piece = 0; piece < 25; piece++) {
        boolean first = random.nextBoolean();
        List<String[]> commands = new ArrayList<>();
        for (int i = 1 + random.nextInt(40); i > 0; i--) {
          commands.add(next(epoch));
        }
        List<String> expected = (first ? redis1 : redis2).pipeline(commands);
        List<String> answers = (first ? kv1 : kv2).pipeline(commands);
        for (int i = 0; i < commands.size(); i++) {
          String shown = "epoch " + epoch + ": " + String.join(" ", commands.get(i));
          // Redis says more of a command that it does not know.
          assertEquals(expected.get(i).replaceFirst(", with args .*", ""), answers.get(i), shown);
        }
        done += commands.size();
      }
    }
    return done;
  }

  private String[] next(int epoch) {
    String[] words = FORMS[random.nextInt(FORMS.length)].split(" ");
    for (int i = 1; i < words.length; i++) {
      words[i] = words[i].equals("K") ? epoch + "k" + random.nextInt(8) : value();
    }
    if (random.nextInt(10) == 0) {
      words[0] = words[0].toLowerCase(Locale.ROOT);
    }
    return words;
  }

  private String value() {
    return switch (random.nextInt(7)) {
      case 0 -> "" + random.nextInt(1000);
      case 1 -> "";
      case 2 -> "9223372036854775807";
      case 3 -> "two words\r\n\0\u00ff";
      case 4 -> List.of("+1", "007", " 1", "-0", "9223372036854775808").get(random.nextInt(5));
      default -> "v" + random.nextInt(100);
    };
  }
}

package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process: its first line, its end, and what survives {@code kill -9}. */
@Timeout(300)
class KillTest {
  private static final int CLIENTS = 4;

  @TempDir private Path folder;

  private Process process;
  private BufferedReader out;

  private InetSocketAddress run(String... options) throws IOException {
    return run(List.of(), options);
  }

  private InetSocketAddress run(List<String> shell, String... options) throws IOException {
    List<String> command = new ArrayList<>(shell);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "kv",
            "--port=0",
            "--cores=2"));
    command.addAll(List.of(options));
    process = new ProcessBuilder(command).redirectError(folder.resolve("err").toFile()).start();
    out = process.inputReader();
    String first = out.readLine();
    String log = Files.readString(folder.resolve("err"));
    assertTrue(first != null && first.startsWith("kv: listening at 127.0.0.1:"), first + log);
    String port = first.replaceFirst(".* at 127\\.0\\.0\\.1:(\\d+) .*", "$1");
    return new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
  }

  /** What a client was told, until the server was gone. */
  private record Told(int pairs, int sum) {}

  private static Told client(
      InetSocketAddress address, int number, int round, AtomicIntegerArray told) {
    int pairs = 0;
    int sum = 0;
    try (RespClient client = new RespClient(address)) {
      while (true) {
        String value = round + "." + pairs;
        String set = client.call("MSET", "a" + number, value, "b" + number, value);
        assertEquals("+OK", set);
        pairs++;
        told.incrementAndGet(number);
        client.send("MULTI").send("INCR", "n" + number).send("INCR", "m" + number).send("EXEC");
        for (int i = 0; i < 3; i++) {
          client.answer();
        }
        client.answer();
        sum++;
      }
    } catch (IOException killed) {
      return new Told(pairs, sum);
    }
  }

  /** What was acknowledged is there, whole; what was not is there whole, or not at all. */
  @Test
  void whatWasAcknowledgedSurvives() throws Exception {
    long seed = Long.getLong("mely.kv.seed", 1);
    System.out.println("kill: -Dmely.kv.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    int[] sums = new int[CLIENTS];
    try {
      for (int round = 0; round < 2; round++) {
        InetSocketAddress address = run("--dir=" + folder, "--appendfsync=always");
        AtomicIntegerArray told = new AtomicIntegerArray(CLIENTS);
        List<Future<Told>> clients = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
          int number = c;
          int now = round;
          clients.add(threads.submit(() -> client(address, number, now, told)));
        }
        int enough = 20 + random.nextInt(300);
        try (RespClient rewriter = new RespClient(address)) {
          // On a busy machine one client may be far behind the others.
          while (IntStream.range(0, CLIENTS).map(told::get).anyMatch(n -> n == 0)
              || IntStream.range(0, CLIENTS).map(told::get).sum() < enough) {
            rewriter.ask("BGREWRITEAOF");
          }
        }
        process.destroyForcibly().waitFor();
        List<Told> all = new ArrayList<>();
        for (Future<Told> client : clients) {
          all.add(client.get());
        }
        check(all, round, sums);
      }
    } finally {
      process.destroyForcibly();
      threads.shutdownNow();
    }
  }

  private void check(List<Told> all, int round, int[] sums) throws IOException {
    try (KvServer server = Kv.start(Kv.config(folder, Fsync.ALWAYS), 1);
        RespClient client = new RespClient(server.address())) {
      for (int c = 0; c < CLIENTS; c++) {
        Told told = all.get(c);
        assertTrue(told.pairs() > 0, "client " + c + " was told nothing");
        List<String> pair = RespClient.sorted(client.ask("MGET a" + c + " b" + c));
        assertEquals(pair.get(0), pair.get(1), "a pair was torn");
        int last = told.pairs() - 1;
        List<String> possible = List.of(round + "." + last, round + "." + (last + 1));
        assertTrue(
            possible.contains(pair.get(0).replace("\"", "")), pair + " is none of " + possible);
        List<String> both = RespClient.sorted(client.ask("MGET n" + c + " m" + c));
        assertEquals(both.get(0), both.get(1), "a transaction was torn");
        int sum = both.get(0).equals("nil") ? 0 : Integer.parseInt(both.get(0).replace("\"", ""));
        int known = sums[c] + told.sum();
        assertTrue(sum == known || sum == known + 1, sum + " after " + known);
        sums[c] = sum;
      }
    }
  }

  /** It ends; and what it has said is kept is there. */
  @Test
  void aFileThatCannotGrow() throws Exception {
    List<String> limited = List.of("sh", "-c", "ulimit -f 400 && exec \"$@\"", "sh"); // 200 KB
    InetSocketAddress address = run(limited, "--dir=" + folder, "--appendfsync=always");
    String value = "x".repeat(1_000);
    int told = 0;
    try (RespClient client = new RespClient(address)) {
      while (client.call("SET", "k" + told, value).equals("+OK")) {
        told++;
        assertTrue(told < 1_000, "the file has no limit");
      }
    } catch (IOException ended) {
      assertTrue(told > 100, "only " + told);
    }
    assertTrue(process.waitFor(120, TimeUnit.SECONDS));
    assertEquals(1, process.exitValue());
    assertTrue(Files.readString(folder.resolve("err")).contains("cannot be written"));
    try (KvServer server = Kv.start(Kv.config(folder, Fsync.ALWAYS), 1);
        RespClient client = new RespClient(server.address())) {
      assertEquals("\"" + value + "\"", client.call("GET", "k" + (told - 1)));
      assertTrue(client.ask("DBSIZE").compareTo(":" + told) >= 0);
    }
  }

  @Test
  void aCleanEnd() throws Exception {
    InetSocketAddress address = run("--dir=" + folder, "--appendfsync=no", "--policy=base");
    try (RespClient client = new RespClient(address)) {
      assertEquals("+OK", client.ask("SET a 1"));
      process.toHandle().destroy();
      List<String> rest = out.lines().toList();
      assertEquals("kv: stopping, once what is owed has been sent", rest.get(0));
      assertTrue(rest.get(1).startsWith("kv: connections: 1 served, 0 turned away; "), rest.get(1));
      assertTrue(rest.get(2).startsWith("core "), "no table of cores in " + rest);
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(143, process.exitValue(), "killed by SIGTERM");
    } finally {
      process.destroyForcibly();
    }
    try (KvServer server = Kv.start(Kv.config(folder, Fsync.NO), 1)) {
      assertEquals(List.of("a: \"1\""), AppendLogTest.dump(server));
    }
  }
}

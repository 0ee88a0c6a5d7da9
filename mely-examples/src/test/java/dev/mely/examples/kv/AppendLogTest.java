package dev.mely.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is in the file comes back, all of it or a beginning, and nothing else. */
@Timeout(300)
class AppendLogTest {
  private static final long SEED = Long.getLong("mely.kv.seed", 1);

  @TempDir private Path folder;

  private KvServer start(Fsync fsync) throws IOException {
    return Kv.start(Kv.config(folder, fsync), SEED);
  }

  private Path file() {
    return folder.resolve(LogFile.NAME);
  }

  /** All keys with what they hold, and when they end. */
  static List<String> dump(KvServer server) throws IOException {
    TreeSet<String> all = new TreeSet<>();
    try (RespClient client = new RespClient(server.address())) {
      String keys = client.ask("KEYS *");
      if (keys.equals("[]")) {
        return List.of();
      }
      for (String quoted : RespClient.sorted(keys)) {
        String key = quoted.substring(1, quoted.length() - 1);
        String held =
            switch (client.call("TYPE", key)) {
              case "+string" -> client.call("GET", key);
              case "+hash" -> "hash " + client.call("HGETALL", key);
              default -> "set " + RespClient.sorted(client.call("SMEMBERS", key));
            };
        String left = client.call("PTTL", key);
        // So coarse that it does not matter how long a test takes.
        long times = (Long.parseLong(left.substring(1)) + 50_000_000) / 100_000_000;
        all.add(key + ": " + held + (left.equals(":-1") ? "" : " ends in 100,000 s * " + times));
      }
    }
    return List.copyOf(all);
  }

  /** A client that changes all sorts of things, so many, and as long as it shall. */
  private static int change(KvServer server, long seed, int count, BooleanSupplier more)
      throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    try (RespClient client = new RespClient(server.address())) {
      for (int i = 0; i < count || more.getAsBoolean(); i++) {
        String key = "k" + random.nextInt(60);
        String other = "k" + random.nextInt(60);
        String value = "v" + i;
        switch (random.nextInt(14)) {
          case 0 -> client.call("SET", key, value);
          case 1 -> client.call("SET", key, value, "EX", "1000000");
          case 2 -> client.call("SET", key, value, "PX", "1");
          case 3 -> client.call("INCR", "n" + random.nextInt(10));
          case 4 -> client.call("APPEND", key, value);
          case 5 -> client.call("HSET", "h" + random.nextInt(5), "f" + random.nextInt(9), value);
          case 6 -> client.call("HINCRBY", "h" + random.nextInt(5), "n", "3");
          case 7 -> client.call("SADD", "s" + random.nextInt(5), "m" + random.nextInt(30));
          case 8 -> client.call("SREM", "s" + random.nextInt(5), "m" + random.nextInt(30));
          case 9 -> client.call("MSET", key, value, other, value);
          case 10 -> client.call("DEL", key, other);
          case 11 -> client.call("EXPIRE", key, "2000000");
          case 12 -> client.call("HDEL", "h" + random.nextInt(5), "f" + random.nextInt(9));
          default -> {
            client.call("MULTI");
            client.call("INCRBY", "n" + random.nextInt(10), "7");
            client.call("SADD", "s" + random.nextInt(5), value);
            client.call("PERSIST", key);
            client.call("EXEC");
          }
        }
      }
    }
    return count;
  }

  private static void changeTogether(KvServer server, int clients, int count) throws Exception {
    changeTogether(server, clients, count, () -> false);
  }

  private static void changeTogether(KvServer server, int clients, int count, BooleanSupplier more)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Future<Integer>> all = new ArrayList<>();
      for (int c = 0; c < clients; c++) {
        long seed = SEED * 100 + c;
        all.add(threads.submit(() -> change(server, seed, count, more)));
      }
      for (Future<Integer> one : all) {
        assertEquals(count, one.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource(Fsync.class)
  void whatWasThereComesBack(Fsync fsync) throws Exception {
    List<String> before;
    try (KvServer server = start(fsync)) {
      changeTogether(server, 4, 500);
      Thread.sleep(5); // what was given a millisecond ends
      before = dump(server);
    }
    try (KvServer server = start(fsync)) {
      assertEquals(before, dump(server));
      assertTrue(before.size() > 20, before.toString());
    }
  }

  /** While clients go on, and again, and with what was read from a rewritten file. */
  @Test
  void rewriting() throws Exception {
    System.out.println("rewriting: -Dmely.kv.seed=" + SEED);
    List<String> before = List.of();
    for (int round = 0; round < 3; round++) {
      try (KvServer server = start(round == 1 ? Fsync.ALWAYS : Fsync.NO)) {
        assertEquals(before, dump(server));
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
          Future<Integer> rewrites = thread.submit(() -> rewriteOften(server));
          // Longer than the last rewriting: what comes behind its snapshot must be in the file.
          changeTogether(server, 4, 250, () -> !rewrites.isDone());
          assertTrue(rewrites.get() > 0);
        } finally {
          thread.shutdownNow();
        }
        changeTogether(server, 2, 50);
        Thread.sleep(5);
        before = dump(server);
      }
    }
    try (KvServer server = start(Fsync.NO)) {
      assertEquals(before, dump(server));
    }
  }

  private static int rewriteOften(KvServer server) throws IOException {
    int done = 0;
    try (RespClient client = new RespClient(server.address())) {
      for (int i = 0; i < 8; i++) {
        done += client.ask("BGREWRITEAOF").startsWith("+Background") ? 1 : 0;
        await().until(() -> client.ask("INFO persistence").contains("in_progress:0"));
      }
    }
    return done;
  }

  /** It gets as short as what it holds, by itself, once it has doubled. */
  @Test
  void theFileIsRewrittenWhenItHasDoubled() throws Exception {
    KvConfig config = Kv.config(folder, Fsync.NO, 100_000, java.time.Duration.ofSeconds(60));
    try (KvServer server = Kv.start(config, SEED);
        RespClient client = new RespClient(server.address())) {
      String value = "x".repeat(1_000);
      for (int i = 0; i < 1_000; i++) {
        client.call("SET", "k" + i % 3, value + i);
      }
      await().until(() -> Files.size(file()) < 300_000);
      assertEquals("\"" + value + "999\"", client.ask("GET k0"));
    }
    try (KvServer server = start(Fsync.NO);
        RespClient client = new RespClient(server.address())) {
      assertEquals(":3", client.ask("DBSIZE"));
    }
  }

  /** A key's end is a moment, not a time from the start of the server on. */
  @Test
  void endsAreMoments() throws Exception {
    AtomicLong clock = new AtomicLong(1_000_000_000_000L);
    try (KvServer server = Kv.start(Kv.config(folder, Fsync.NO), clock);
        RespClient client = new RespClient(server.address())) {
      client.ask("SET a 1 EX 10");
      client.ask("SET b 1 EX 100");
      client.ask("SET n 5 EX 10");
      assertEquals(":6", client.ask("INCR n"));
      assertEquals(":1", client.ask("PERSIST n"));
      client.ask("SET m 5 EX 1");
      clock.addAndGet(1_000);
      assertEquals(":1", client.ask("INCR m")); // a new one: the old one has ended
    }
    clock.addAndGet(50_000);
    try (KvServer server = Kv.start(Kv.config(folder, Fsync.NO), clock);
        RespClient client = new RespClient(server.address())) {
      assertEquals("[nil, \"1\", \"6\", \"1\"]", client.ask("MGET a b n m"));
      assertEquals(":49", client.ask("TTL b"));
      assertEquals(":-1", client.ask("TTL m"));
    }
  }

  // ---- Damage

  private long fill(int pairs) throws IOException {
    try (KvServer server = start(Fsync.NO);
        RespClient client = new RespClient(server.address())) {
      for (int i = 0; i < pairs; i++) {
        if (i % 2 == 0) {
          client.call("MSET", "a", "" + i, "b", "" + i);
        } else {
          client.ask("MULTI");
          client.call("SET", "a", "" + i);
          client.call("SET", "b", "" + i);
          client.ask("EXEC");
        }
      }
    }
    return Files.size(file());
  }

  /** Cut anywhere: a beginning is left, of whole records. */
  @Test
  void aTruncatedTailIsCutOff() throws Exception {
    long size = fill(20);
    byte[] whole = Files.readAllBytes(file());
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 40; i++) {
      int cut = LogFile.HEADER + random.nextInt((int) size - LogFile.HEADER);
      Files.write(file(), java.util.Arrays.copyOf(whole, cut));
      try (KvServer server = start(Fsync.NO);
          RespClient client = new RespClient(server.address())) {
        String both = client.ask("MGET a b");
        assertEquals(1, RespClient.sorted(both).stream().distinct().count(), both);
        client.ask("SET c 1"); // goes behind what is left
      }
      try (KvServer server = start(Fsync.NO);
          RespClient client = new RespClient(server.address())) {
        assertEquals("\"1\"", client.ask("GET c"));
      }
    }
  }

  @Test
  void zerosAtTheEndAreCutOff() throws Exception {
    long size = fill(3);
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(5_000), size);
    }
    try (KvServer server = start(Fsync.NO);
        RespClient client = new RespClient(server.address())) {
      assertEquals("[\"2\", \"2\"]", client.ask("MGET a b"));
    }
    assertEquals(size, Files.size(file()));
  }

  /** A bit that is wrong before the last record: the server says where, and does not start. */
  @Test
  void damageIsAnError() throws Exception {
    fill(20);
    byte[] whole = Files.readAllBytes(file());
    int last = whole.length - whole.length / 20;
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 200; i++) {
      byte[] damaged = whole.clone();
      int at = random.nextInt(last - LogFile.HEADER / 2);
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      Files.write(file(), damaged);
      IOException error = assertThrows(IOException.class, () -> start(Fsync.NO), "byte " + at);
      String message = String.valueOf(error.getMessage());
      assertTrue(message.contains("is damaged at byte") || at < 8, message);
      assertTrue(message.contains(file().toString()), message);
    }
    Files.write(file(), whole);
    try (KvServer server = start(Fsync.NO);
        RespClient client = new RespClient(server.address())) {
      assertEquals("[\"19\", \"19\"]", client.ask("MGET a b"));
    }
  }

  @Test
  void oneServerAtATime() throws Exception {
    try (KvServer server = start(Fsync.NO)) {
      IOException error = assertThrows(IOException.class, () -> start(Fsync.NO));
      assertEquals("another server uses the folder " + folder, error.getMessage());
      assertEquals(List.of(), dump(server));
    }
  }
}

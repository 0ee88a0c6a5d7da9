package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.kv.Operation.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code -Dmely.kv.operations} operations of seeded clients over groups of three keys, whose colors
 * move at random: there must be one order for each group. The same check must refute servers that
 * are wrong on purpose.
 */
@Timeout(300)
class LinearizabilityTest {
  private static final int OPERATIONS = Integer.getInteger("mely.kv.operations", 100_000);
  private static final long SEED = Long.getLong("mely.kv.seed", 1);
  private static final int CLIENTS = 8;
  private static final int EACH = 50;

  @Test
  void theServer() throws Exception {
    System.out.println("linearizability: -Dmely.kv.seed=" + SEED);
    int rounds = OPERATIONS / (CLIENTS * EACH);
    List<List<Operation>> histories = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (KvServer server = Kv.start(Kv.config(null, Fsync.NO), SEED)) {
      CyclicBarrier together = new CyclicBarrier(CLIENTS);
      List<Future<List<List<Operation>>>> clients = new ArrayList<>();
      for (int c = 0; c < CLIENTS; c++) {
        int number = c;
        clients.add(threads.submit(() -> client(server, number, rounds, together)));
      }
      for (int r = 0; r < rounds; r++) {
        histories.add(new ArrayList<>());
      }
      for (Future<List<List<Operation>>> client : clients) {
        List<List<Operation>> mine = client.get();
        for (int r = 0; r < rounds; r++) {
          histories.get(r).addAll(mine.get(r));
        }
      }
    } finally {
      threads.shutdownNow();
    }
    int total = 0;
    int overlaps = 0;
    int aborted = 0;
    for (int r = 0; r < rounds; r++) {
      List<Operation> history = histories.get(r);
      total += history.size();
      overlaps += overlaps(history);
      aborted += (int) history.stream().filter(LinearizabilityTest::isAborted).count();
      assertTrue(Linearizability.check(history), () -> "there is no order: " + history);
    }
    assertTrue(total >= OPERATIONS * 9 / 10, "only " + total);
    assertTrue(overlaps > total / 4, "hardly any were concurrent: " + overlaps + " of " + total);
    assertTrue(aborted > 0, "no transaction met another client");
  }

  private static boolean isAborted(Operation operation) {
    return operation.kind() == Kind.COMPARE_AND_SET && operation.output().equals("nil");
  }

  /** How many were called before another one that was called earlier had returned. */
  private static int overlaps(List<Operation> history) {
    int overlaps = 0;
    for (Operation one : history) {
      for (Operation other : history) {
        if (one != other && one.invoked() > other.invoked() && one.invoked() < other.returned()) {
          overlaps++;
          break;
        }
      }
    }
    return overlaps;
  }

  /** A round has keys of its own; the clients begin it together. */
  private static List<List<Operation>> client(
      KvServer server, int number, int rounds, CyclicBarrier together) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED * 1_000 + number);
    List<List<Operation>> all = new ArrayList<>();
    boolean well = false;
    try (RespClient client = new RespClient(server.address())) {
      for (int r = 0; r < rounds; r++) {
        together.await();
        List<Operation> mine = new ArrayList<>();
        String group = "r" + r + ":";
        while (mine.size() < EACH) {
          String value = number + "." + mine.size();
          Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
          if (kind == Kind.COMPARE_AND_SET) {
            client.call("WATCH", group + "a");
            Operation read = perform(client, number, Kind.GET_A, group, "", "");
            mine.add(read);
            client.call("MULTI");
            client.call("SET", group + "a", value);
            mine.add(perform(client, number, kind, group, read.output(), value));
          } else {
            mine.add(perform(client, number, kind, group, value, value + "'"));
          }
        }
        all.add(mine);
      }
      well = true;
    } finally {
      if (!well) {
        together.reset(); // nobody waits for this one
      }
    }
    return all;
  }

  private static Operation perform(
      RespClient client, int number, Kind kind, String group, String first, String second)
      throws IOException {
    String a = group + "a";
    String b = group + "b";
    if (kind == Kind.EXEC) {
      client.send("MULTI").send("GET", a).send("SET", b, first).send("GET", b);
      for (int i = 0; i < 4; i++) {
        client.answer();
      }
    }
    long invoked = System.nanoTime();
    String output =
        switch (kind) {
          case GET_A -> client.call("GET", a);
          case GET_B -> client.call("GET", b);
          case SET_A -> client.call("SET", a, first);
          case SET_B -> client.call("SET", b, first);
          case INCR -> client.call("INCR", group + "n");
          case MSET -> client.call("MSET", a, first, b, second);
          case MSETNX -> client.call("MSETNX", b, second, a, first);
          case MGET -> client.call("MGET", a, b);
          case DEL -> client.call("DEL", a, b);
          case EXEC, COMPARE_AND_SET -> client.call("EXEC");
        };
    return new Operation(number, kind, first, second, output, invoked, System.nanoTime());
  }

  // ---- Servers that are wrong on purpose

  /** What is wrong. */
  enum Fault {
    NONE,
    /** A read may see what was there a while ago. */
    STALE_READ,
    /** MSET writes one key, and the other a moment later. */
    TORN_MSET,
    /** MGET reads one key, and the other a moment later. */
    TORN_MGET,
    /** INCR reads, and writes a moment later. */
    LOST_UPDATE,
    /** EXEC does what it was told although a watched key has changed. */
    IGNORED_WATCH,
    /** EXEC reads, and writes a moment later. */
    TORN_EXEC,
    /** A write is answered, and takes effect a moment later. */
    EARLY_ANSWER
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void faultsAreRefuted(Fault fault) {
    int refuted = 0;
    for (int seed = 0; seed < 200; seed++) {
      List<Operation> history = new WrongServer(fault, SEED * 1_000_000 + seed).history();
      refuted += Linearizability.check(history) ? 0 : 1;
    }
    if (fault == Fault.NONE) {
      assertEquals(0, refuted);
    } else {
      assertTrue(refuted > 20, fault + " is refuted in " + refuted + " of 200 histories only");
    }
  }

  /** The shortest histories, by hand. */
  @Test
  void byHand() {
    Operation write = new Operation(1, Kind.SET_A, "x", "", "+OK", 1, 2);
    Operation early = new Operation(2, Kind.GET_A, "", "", "nil", 1, 3);
    Operation late = new Operation(2, Kind.GET_A, "", "", "nil", 3, 4);
    Operation seen = new Operation(3, Kind.GET_A, "", "", "\"x\"", 3, 4);
    assertTrue(Linearizability.check(List.of(write, early, seen)));
    assertFalse(Linearizability.check(List.of(write, late)));
    assertFalse(Linearizability.check(List.of(write, seen, late)));
    Operation half = new Operation(2, Kind.MGET, "", "", "[\"x\", nil]", 1, 3);
    Operation both = new Operation(1, Kind.MSET, "x", "y", "+OK", 1, 2);
    assertFalse(Linearizability.check(List.of(both, half)));
    assertTrue(Linearizability.check(List.of(write, half)));
  }
}

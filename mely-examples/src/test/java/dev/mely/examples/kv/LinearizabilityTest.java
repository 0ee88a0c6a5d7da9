package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.service.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code -Dmely.kv.operations} operations of seeded clients over groups of three keys, whose colors
 * move at random: for each group there must be one order in which, one after the other, they have
 * the answers that they had.
 */
@Timeout(300)
class LinearizabilityTest {
  private static final int OPERATIONS = Integer.getInteger("mely.kv.operations", 100_000);
  private static final long SEED = Long.getLong("mely.kv.seed", 1);
  private static final int CLIENTS = 8;
  private static final int EACH = 50;

  private enum Kind {
    /** Reads a. */
    GET,
    /** Writes first to a. */
    SET,
    /** Adds one to n. */
    INCR,
    /** Writes first to a and second to b. */
    MSET,
    /** Reads a and b. */
    MGET,
    /** Takes a and b away. */
    DEL,
    /** Reads a, writes first to b, and reads b, at once. */
    EXEC
  }

  private record Operation(
      Kind kind, String first, String second, String answer, long called, long returned) {

    /** What a, b and n hold after it; null: it cannot have had this answer. */
    List<String> apply(List<String> state) {
      String a = state.get(0);
      String b = state.get(1);
      String n = state.get(2);
      int next = n.equals("nil") ? 1 : Integer.parseInt(n) + 1;
      int gone = (a.equals("nil") ? 0 : 1) + (b.equals("nil") ? 0 : 1);
      String expected =
          switch (kind) {
            case GET -> a;
            case SET, MSET -> "+OK";
            case INCR -> ":" + next;
            case MGET -> "[" + a + ", " + b + "]";
            case DEL -> ":" + gone;
            case EXEC -> "[" + a + ", +OK, " + quoted(first) + "]";
          };
      if (!answer.equals(expected)) {
        return null;
      }
      return switch (kind) {
        case GET, MGET -> state;
        case SET -> List.of(quoted(first), b, n);
        case INCR -> List.of(a, b, "" + next);
        case MSET -> List.of(quoted(first), quoted(second), n);
        case DEL -> List.of("nil", "nil", n);
        case EXEC -> List.of(a, quoted(first), n);
      };
    }

    private static String quoted(String value) {
      return '"' + value + '"';
    }
  }

  // ---- The check

  private record Seen(List<Integer> done, List<String> state) {}

  /**
   * Whether there is an order of what some clients did to one group, each client one thing after
   * the other. The search of J. Wing and C. Gong, with the memory of G. Lowe.
   */
  private static boolean hasOrder(List<List<Operation>> clients) {
    Integer[] done = new Integer[clients.size()];
    Arrays.fill(done, 0);
    return search(clients, done, List.of("nil", "nil", "nil"), new HashSet<>());
  }

  private static boolean search(
      List<List<Operation>> clients, Integer[] done, List<String> state, Set<Seen> seen) {
    if (!seen.add(new Seen(List.of(done), state))) {
      return false;
    }
    long firstReturn = Long.MAX_VALUE;
    for (int c = 0; c < done.length; c++) {
      if (done[c] < clients.get(c).size()) {
        firstReturn = Math.min(firstReturn, clients.get(c).get(done[c]).returned);
      }
    }
    for (int c = 0; c < done.length; c++) {
      if (done[c] < clients.get(c).size()) {
        Operation next = clients.get(c).get(done[c]);
        List<String> after = next.called <= firstReturn ? next.apply(state) : null;
        if (after != null) {
          done[c]++;
          if (search(clients, done, after, seen)) {
            return true;
          }
          done[c]--;
        }
      }
    }
    return firstReturn == Long.MAX_VALUE; // nothing is left
  }

  /** Histories of servers that are right, and of some that are wrong. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // kind, first, second, answer, called, returned; clients are separated by a slash
        "SET x - +OK 1 2; GET - - \"x\" 3 4 | true",
        "SET x - +OK 1 3 / GET - - nil 2 4 / GET - - \"x\" 4 5 | true",
        "SET x - +OK 1 2 / GET - - nil 3 4 | false", // a stale read
        "SET x - +OK 1 9 / GET - - \"x\" 2 3; GET - - nil 4 5 | false", // one that goes back
        "MSET x y +OK 1 5 / MGET - - [nil,_nil] 1 2; MGET - - [\"x\",_\"y\"] 3 4 | true",
        "MSET x y +OK 1 5 / MGET - - [\"x\",_nil] 2 3 | false", // a torn MSET, or MGET
        "INCR - - :1 1 3 / INCR - - :2 2 4 | true",
        "INCR - - :1 1 3 / INCR - - :1 2 4 | false", // a lost update
        "MSET x y +OK 1 2; DEL - - :2 3 6 / DEL - - :0 4 5 | true",
        "MSET x y +OK 1 2; DEL - - :1 3 6 / DEL - - :1 4 5 | false", // a torn DEL
        "SET x - +OK 1 4 / EXEC z - [nil,_+OK,_\"z\"] 2 3 | true",
        "MSET x y +OK 1 4 / EXEC z - [nil,_+OK,_\"y\"] 2 3 | false" // a torn EXEC
      })
  void byHand(String history, boolean isRight) {
    List<List<Operation>> clients = new ArrayList<>();
    for (String client : history.split(" / ")) {
      clients.add(
          Arrays.stream(client.split("; "))
              .map(operation -> operation.split(" "))
              .map(
                  o ->
                      new Operation(
                          Kind.valueOf(o[0]),
                          o[1],
                          o[2],
                          o[3].replace('_', ' '),
                          Long.parseLong(o[4]),
                          Long.parseLong(o[5])))
              .toList());
    }
    assertEquals(isRight, hasOrder(clients));
  }

  // ---- The server

  @Test
  void theServer() throws Exception {
    System.out.println("linearizability: -Dmely.kv.seed=" + SEED);
    int rounds = OPERATIONS / (CLIENTS * EACH);
    List<List<List<Operation>>> all = new ArrayList<>(); // by client and round
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (Server server = Kv.start(SEED)) {
      CyclicBarrier together = new CyclicBarrier(CLIENTS);
      List<Future<List<List<Operation>>>> clients = new ArrayList<>();
      for (int c = 0; c < CLIENTS; c++) {
        int number = c;
        clients.add(threads.submit(() -> client(server, number, rounds, together)));
      }
      for (Future<List<List<Operation>>> client : clients) {
        all.add(client.get());
      }
    } finally {
      threads.shutdownNow();
    }
    int overlaps = 0;
    for (int r = 0; r < rounds; r++) {
      int round = r;
      List<List<Operation>> group = all.stream().map(client -> client.get(round)).toList();
      overlaps += overlaps(group.stream().flatMap(List::stream).toList());
      assertTrue(hasOrder(group), () -> "there is no order: " + group);
    }
    assertTrue(overlaps > OPERATIONS / 4, "hardly any were concurrent: " + overlaps);
  }

  /** How many were called before another one that was called earlier had returned. */
  private static int overlaps(List<Operation> group) {
    return (int)
        group.stream()
            .filter(
                one ->
                    group.stream().anyMatch(o -> one.called > o.called && one.called < o.returned))
            .count();
  }

  /** A round has keys of its own; the clients begin it together. */
  private static List<List<Operation>> client(
      Server server, int number, int rounds, CyclicBarrier together) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED * 1_000 + number);
    List<List<Operation>> all = new ArrayList<>();
    boolean well = false;
    try (RespClient client = new RespClient(server.address())) {
      for (int r = 0; r < rounds; r++) {
        together.await();
        List<Operation> mine = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
          Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
          mine.add(perform(client, kind, "r" + r + ":", number + "." + i, number + "'" + i));
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
      RespClient client, Kind kind, String group, String first, String second) throws IOException {
    String a = group + "a";
    String b = group + "b";
    if (kind == Kind.EXEC) {
      client.send("MULTI").send("GET", a).send("SET", b, first).send("GET", b);
      for (int i = 0; i < 4; i++) {
        client.answer();
      }
    }
    long called = System.nanoTime();
    String answer =
        switch (kind) {
          case GET -> client.call("GET", a);
          case SET -> client.call("SET", a, first);
          case INCR -> client.call("INCR", group + "n");
          case MSET -> client.call("MSET", a, first, b, second);
          case MGET -> client.call("MGET", a, b);
          case DEL -> client.call("DEL", a, b);
          case EXEC -> client.call("EXEC");
        };
    return new Operation(kind, first, second, answer, called, System.nanoTime());
  }
}

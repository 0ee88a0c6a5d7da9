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
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
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

  /** EXEC reads a, writes first to b, and reads b, at once. */
  private static final String[] KINDS = "GET SET INCR MSET MGET DEL EXEC".split(" ");

  private record Operation(
      String kind, String first, String second, String answer, long called, long returned) {

    /** What a, b and n hold after it; null: it cannot have had this answer. */
    List<String> apply(List<String> state) {
      String a = state.get(0);
      String b = state.get(1);
      String n = state.get(2);
      int next = n.equals("nil") ? 1 : Integer.parseInt(n) + 1;
      long there = Stream.of(a, b).filter(value -> !value.equals("nil")).count();
      String x = '"' + first + '"';
      String y = '"' + second + '"';
      return switch (kind) {
        case "GET" -> answer.equals(a) ? state : null;
        case "SET" -> answer.equals("+OK") ? List.of(x, b, n) : null;
        case "INCR" -> answer.equals(":" + next) ? List.of(a, b, "" + next) : null;
        case "MSET" -> answer.equals("+OK") ? List.of(x, y, n) : null;
        case "MGET" -> answer.equals(List.of(a, b).toString()) ? state : null;
        case "DEL" -> answer.equals(":" + there) ? List.of("nil", "nil", n) : null;
        default -> answer.equals(List.of(a, "+OK", x).toString()) ? List.of(a, x, n) : null;
      };
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
    List<List<Operation>> clients =
        Stream.of(history.split(" / "))
            .map(client -> Stream.of(client.split("; ")).map(o -> operation(o.split(" "))).toList())
            .toList();
    assertEquals(isRight, hasOrder(clients));
  }

  private static Operation operation(String... o) {
    long called = Long.parseLong(o[4]);
    return new Operation(o[0], o[1], o[2], o[3].replace('_', ' '), called, Long.parseLong(o[5]));
  }

  // ---- The server

  /** Each round has keys of its own; the clients begin it together. */
  @Test
  void theServer() throws Exception {
    System.out.println("linearizability: -Dmely.kv.seed=" + SEED);
    int overlaps = 0;
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<RespClient> clients = new ArrayList<>();
    try (Server server = Kv.start(SEED)) {
      for (int c = 0; c < CLIENTS; c++) {
        clients.add(new RespClient(server.address()));
      }
      for (int r = 0; r < OPERATIONS / (CLIENTS * EACH); r++) {
        String group = "r" + r + ":";
        List<Callable<List<Operation>>> parts = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
          int client = c;
          parts.add(() -> operations(clients.get(client), group, client));
        }
        List<List<Operation>> history = new ArrayList<>();
        for (Future<List<Operation>> part : threads.invokeAll(parts)) {
          history.add(part.get());
        }
        overlaps += overlaps(history.stream().flatMap(List::stream).toList());
        assertTrue(hasOrder(history), () -> "there is no order: " + history);
      }
    } finally {
      threads.shutdownNow();
      for (RespClient client : clients) {
        client.close();
      }
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

  private static List<Operation> operations(RespClient client, String group, int number)
      throws IOException {
    SplittableRandom random = new SplittableRandom(SEED + group.hashCode() * 31L + number);
    String a = group + "a";
    String b = group + "b";
    List<Operation> all = new ArrayList<>();
    while (all.size() < EACH) {
      String kind = KINDS[random.nextInt(KINDS.length)];
      String first = number + "." + all.size();
      String second = first + "'";
      if (kind.equals("EXEC")) {
        for (String line : List.of("MULTI", "GET " + a, "SET " + b + " " + first, "GET " + b)) {
          client.ask(line);
        }
      }
      long called = System.nanoTime();
      String answer =
          switch (kind) {
            case "GET" -> client.call(kind, a);
            case "SET" -> client.call(kind, a, first);
            case "INCR" -> client.call(kind, group + "n");
            case "MSET" -> client.call(kind, a, first, b, second);
            case "MGET", "DEL" -> client.call(kind, a, b);
            default -> client.call(kind);
          };
      all.add(new Operation(kind, first, second, answer, called, System.nanoTime()));
    }
    return all;
  }
}

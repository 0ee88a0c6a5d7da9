package dev.mely.netty.frameworks.agent;

import dev.mely.netty.agent.OnMely;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The load: eight connections, and work on every other one. Two loops that take turns give all of
 * these to one of them.
 */
public final class Burn {
  static final int CONNECTIONS = 8;
  static final int REQUESTS = 100;
  private static final long NANOS = 2_000_000;

  private Burn() {}

  /**
   * A request's work, for the server.
   *
   * @return the answer: whether it was on Mely, and the thread's name
   */
  public static String here() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < NANOS) {
      Thread.onSpinWait();
    }
    return OnMely.isCurrentThread() + " " + Thread.currentThread().getName();
  }

  /**
   * Sends the requests, and prints what came back.
   *
   * @param connect opens a connection, which returns an answer of {@link #here} for each call
   */
  static void drive(Callable<Callable<String>> connect) throws Exception {
    List<Callable<String>> connections = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      connections.add(connect.call());
      connections.get(i).call(); // it has its loop
    }
    ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();
    ExecutorService clients = Executors.newFixedThreadPool(CONNECTIONS);
    List<Future<?>> ends = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i += 2) {
      Callable<String> connection = connections.get(i);
      ends.add(
          clients.submit(
              () -> {
                for (int request = 0; request < REQUESTS; request++) {
                  answers.add(connection.call());
                }
                return null;
              }));
    }
    for (Future<?> end : ends) {
      end.get(120, TimeUnit.SECONDS);
    }
    Map<String, Long> threads =
        answers.stream()
            .collect(Collectors.groupingBy(each -> each, TreeMap::new, Collectors.counting()));
    threads.forEach((thread, count) -> System.out.println("served by " + thread + ": " + count));
    boolean onMely = answers.stream().allMatch(answer -> answer.startsWith("true "));
    System.out.println("answers: " + answers.size() + ", on Mely: " + onMely);
  }
}

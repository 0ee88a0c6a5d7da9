package dev.mely.bench.sim;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.PriorityQueue;
import org.HdrHistogram.Histogram;

/**
 * Bounds for any runtime of colored events, and the result without stealing: latencies of the same
 * requests under three queueing disciplines without overhead.
 */
final class Bounds {
  private static final int DIGITS = 3;

  private Bounds() {}

  /** M/G/n, FCFS: any free core takes the oldest request. */
  static Histogram fcfs(OpenLoop.Requests requests, int cores, long count) {
    Histogram latencies = new Histogram(DIGITS);
    PriorityQueue<Long> free = new PriorityQueue<>();
    for (int i = 0; i < cores; i++) {
      free.add(0L);
    }
    for (long i = 0; i < count; i++) {
      requests.draw();
      long end = Math.max(requests.arrival(), free.remove()) + requests.service();
      free.add(end);
      record(latencies, end - requests.arrival());
    }
    return latencies;
  }

  /** Each color stays on its core, which serves its requests in order of arrival. */
  static Histogram staticPartition(OpenLoop.Requests requests, int cores, long count) {
    Histogram latencies = new Histogram(DIGITS);
    long[] free = new long[cores];
    for (long i = 0; i < count; i++) {
      requests.draw();
      int core = requests.home(requests.color());
      free[core] = Math.max(requests.arrival(), free[core]) + requests.service();
      record(latencies, free[core] - requests.arrival());
    }
    return latencies;
  }

  private record Waiting(long arrival, long service, int color) {}

  private record Ending(long time, int color) {}

  /**
   * FCFS with exclusive colors: any free core takes the oldest request whose color is not running.
   * A bound for every runtime of colored events that does not know the requests' durations.
   */
  static Histogram colorSerial(OpenLoop.Requests requests, int cores, long count) {
    Histogram latencies = new Histogram(DIGITS);
    PriorityQueue<Ending> running = new PriorityQueue<>((a, b) -> Long.compare(a.time(), b.time()));
    PriorityQueue<Waiting> ready =
        new PriorityQueue<>((a, b) -> Long.compare(a.arrival(), b.arrival()));
    boolean[] isTaken = new boolean[requests.colors()];
    @SuppressWarnings({"unchecked", "rawtypes"}) // generic arrays cannot be made
    ArrayDeque<Waiting>[] behind = new ArrayDeque[requests.colors()];
    Arrays.setAll(behind, i -> new ArrayDeque<>());
    for (long i = 0; i <= count; i++) {
      long until = Long.MAX_VALUE;
      if (i < count) {
        requests.draw();
        until = requests.arrival();
      }
      while (!running.isEmpty() && running.element().time() <= until) {
        Ending over = running.remove();
        Waiting next = behind[over.color()].poll();
        if (next == null) {
          isTaken[over.color()] = false;
        } else {
          ready.add(next);
        }
        serve(over.time(), ready, running, latencies);
      }
      if (i < count) {
        Waiting request = new Waiting(until, requests.service(), requests.color());
        if (isTaken[request.color()]) {
          behind[request.color()].add(request);
        } else {
          isTaken[request.color()] = true;
          ready.add(request);
          if (running.size() < cores) {
            serve(until, ready, running, latencies);
          }
        }
      }
    }
    return latencies;
  }

  /** A free core takes the oldest request that may run, if there is one. */
  private static void serve(
      long now, PriorityQueue<Waiting> ready, PriorityQueue<Ending> running, Histogram latencies) {
    Waiting next = ready.poll();
    if (next != null) {
      long end = now + next.service();
      running.add(new Ending(end, next.color()));
      record(latencies, end - next.arrival());
    }
  }

  private static void record(Histogram latencies, long picos) {
    latencies.recordValue(picos / Machine.NANO);
  }
}

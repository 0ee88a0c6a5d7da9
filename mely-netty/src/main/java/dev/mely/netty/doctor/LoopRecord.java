package dev.mely.netty.doctor;

import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What an examination knows of an event loop. Used by its thread; the loop runs the tasks. */
final class LoopRecord {
  /** A loop that takes longer to run a task is taken to have run one handler all the time. */
  private static final long STUCK_NANOS = 10_000_000_000L;

  /** It is not waited for that long twice in a row. */
  private static final long STUCK_AGAIN_NANOS = 250_000_000;

  private final WatchedLoop loop;
  private final List<Probe> probes = new ArrayList<>();
  private CompletableFuture<List<Span>> handedOver = CompletableFuture.completedFuture(List.of());
  private boolean stuck;
  private boolean full;
  private double busySeconds;

  /** A task that measures how long it waits. */
  private static final class Probe {
    private final long sent = Recording.now();
    private volatile long ran = -1;

    /** In nanoseconds, so far. */
    long lag() {
      long until = ran;
      return (until < 0 ? Recording.now() : until) - sent;
    }
  }

  LoopRecord(WatchedLoop loop) {
    this.loop = loop;
  }

  WatchedLoop loop() {
    return loop;
  }

  /**
   * Asks for what it runs in a slice, to the moment in which it runs this task.
   *
   * @param from beginning of the slice
   */
  void ask(long from) {
    CompletableFuture<List<Span>> spans = new CompletableFuture<>();
    handedOver = spans;
    if (!loop.takesTasks()) {
      spans.complete(List.of());
      return;
    }
    Probe probe = new Probe();
    try {
      loop.executor()
          .execute(
              () -> {
                probe.ran = Recording.now();
                spans.complete(Hooks.handOver(from, loop));
              });
      probes.add(probe);
    } catch (RuntimeException e) {
      if (loop.takesTasks()) {
        spans.completeExceptionally(e); // its queue is full
      } else {
        spans.complete(List.of());
      }
    }
  }

  /**
   * Waits until the loop has answered the last {@link #ask}.
   *
   * @param from beginning of the slice
   * @param to its end
   */
  List<Span> spans(long from, long to) throws InterruptedException {
    long until = from + (stuck ? STUCK_AGAIN_NANOS : STUCK_NANOS);
    stuck = false;
    try {
      List<Span> all = handedOver.get(Math.max(0, until - Recording.now()), TimeUnit.NANOSECONDS);
      full |= all.size() == LoopTrace.MOST;
      return all.stream().filter(span -> span.end() > from).toList();
    } catch (TimeoutException | ExecutionException e) {
      stuck = true;
      return List.of(new Span(null, from, to));
    }
  }

  /** Whether it ran more in a slice than is kept, so that more may have waited than is known. */
  boolean wasFull() {
    return full;
  }

  void addBusy(double seconds) {
    busySeconds += seconds;
  }

  double busySeconds() {
    return busySeconds;
  }

  /** How long tasks waited, in nanoseconds, sorted. */
  List<Long> lags() {
    return probes.stream().map(Probe::lag).sorted().toList();
  }
}

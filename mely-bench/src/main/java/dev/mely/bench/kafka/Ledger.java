package dev.mely.bench.kafka;

import dev.mely.bench.OtherProcesses;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles the records of a round, and notes which were, in which order and when. Thread-safe.
 *
 * <p>The first records are a warm-up: the figures are of those after them, until the last is done.
 */
final class Ledger {
  private static final int AT_WORK = -1;

  private final Effort effort;
  private final int warmUp;
  private final int records;

  /** Per key the turn that is next, or {@link #AT_WORK}. */
  private final AtomicIntegerArray next;

  /** Per record how often it has been handled. */
  private final AtomicIntegerArray times;

  private final AtomicInteger handled = new AtomicInteger();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder disordered = new LongAdder();
  private final CountDownLatch all = new CountDownLatch(1);
  private volatile Mark start = new Mark(0, 0);
  private volatile Mark end = new Mark(0, 0);

  /** A moment: the clock, and the CPU time of this process until then. */
  private record Mark(long nanos, long cpuNanos) {
    static Mark now() {
      return new Mark(System.nanoTime(), OtherProcesses.processNanos());
    }
  }

  Ledger(RoundSetup setup) {
    this.effort = setup.effort();
    effort.prepare();
    this.warmUp = setup.warmUp();
    this.records = setup.records();
    this.next = new AtomicIntegerArray(setup.keys());
    this.times = new AtomicIntegerArray(records);
  }

  /** The handler of all contenders. */
  void handle(ConsumerRecord<Integer, byte[]> record) throws InterruptedException {
    Payload payload = Payload.of(record.value());
    int key = record.key();
    // Out of turn, or beside another of its key.
    if (next.getAndSet(key, AT_WORK) != payload.turn()) {
      disordered.increment();
    }
    effort.spend();
    next.set(key, payload.turn() + 1);
    if (times.getAndIncrement(payload.number()) > 0) {
      repeated.increment();
      return;
    }
    int count = handled.incrementAndGet();
    if (count == warmUp) {
      start = Mark.now();
    }
    if (count == records) {
      end = Mark.now();
      all.countDown();
    }
  }

  /**
   * Waits until all records have been handled; returns whether they were in time. If not, the
   * figures are of those that were.
   */
  boolean await(long seconds) throws InterruptedException {
    boolean inTime = all.await(seconds, TimeUnit.SECONDS);
    if (!inTime) {
      end = Mark.now();
    }
    return inTime;
  }

  Map<String, Double> figures() {
    int count = handled.get();
    boolean isWarm = count > warmUp; // else there are no figures
    double measured = isWarm ? count - warmUp : Double.NaN;
    double nanos = isWarm ? Math.max(1, end.nanos - start.nanos) : Double.NaN;
    double cpuNanos = end.cpuNanos - start.cpuNanos;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("recordsPerSecond", measured / nanos * 1e9);
    figures.put("cpuMicros", cpuNanos / 1e3 / measured);
    figures.put("cpus", cpuNanos / nanos);
    figures.put("handled", (double) count);
    figures.put("repeated", repeated.doubleValue());
    figures.put("disordered", disordered.doubleValue());
    return figures;
  }
}

package dev.mely.bench.kafka;

import dev.mely.bench.OtherProcesses;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Handles the records of a round, and notes which were, in which order and when. Thread-safe.
 *
 * <p>The first records are a warm-up: the figures are of those after them, until the last is done.
 * A consumer that is too slow for it is warm after half of its time.
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

  /** Microseconds from when records were due until they were done. */
  private final Histogram latencies = new ConcurrentHistogram(3);

  private final CountDownLatch all = new CountDownLatch(1);
  private final AtomicReference<@Nullable Mark> start = new AtomicReference<>();
  private final AtomicReference<@Nullable Mark> end = new AtomicReference<>();

  /** A moment: the records handled until then, the clock, and the CPU time of this process. */
  private record Mark(int handled, long nanos, long cpuNanos) {
    /** The first to come sets it. */
    static void set(AtomicReference<@Nullable Mark> mark, int handled) {
      mark.compareAndSet(null, new Mark(handled, System.nanoTime(), OtherProcesses.processNanos()));
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
    if (payload.due() != 0) {
      latencies.recordValue(Math.max(0, Payload.nowMicros() - payload.due()));
    }
    if (times.getAndIncrement(payload.number()) > 0) {
      repeated.increment();
      return;
    }
    int count = handled.incrementAndGet();
    if (count == warmUp) {
      Mark.set(start, count);
    }
    if (count == records) {
      Mark.set(end, count);
      all.countDown();
    }
  }

  /**
   * Waits until all records have been handled; returns whether they were in time. If not, the
   * figures are of those that were.
   */
  boolean await(long seconds) throws InterruptedException {
    long half = TimeUnit.SECONDS.toMillis(seconds) / 2;
    boolean inTime = all.await(half, TimeUnit.MILLISECONDS);
    if (!inTime) {
      Mark.set(start, handled.get());
      inTime = all.await(half, TimeUnit.MILLISECONDS);
      Mark.set(end, handled.get());
    }
    return inTime;
  }

  /** The figures, when all has been awaited. */
  Map<String, Double> figures() {
    Mark from = Objects.requireNonNull(start.get());
    Mark to = Objects.requireNonNull(end.get());
    int count = to.handled - from.handled;
    double measured = count > 0 ? count : Double.NaN; // nothing to tell
    double nanos = Math.max(1, to.nanos - from.nanos);
    double cpuNanos = to.cpuNanos - from.cpuNanos;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("recordsPerSecond", measured / nanos * 1e9);
    figures.put("cpuMicros", cpuNanos / 1e3 / measured);
    figures.put("cpus", cpuNanos / nanos);
    figures.put("handled", (double) to.handled);
    figures.put("repeated", repeated.doubleValue());
    figures.put("disordered", disordered.doubleValue());
    if (to.handled == records && latencies.getTotalCount() > 0) { // else the longest are missing
      figures.put("p50Micros", (double) latencies.getValueAtPercentile(50));
      figures.put("p99Micros", (double) latencies.getValueAtPercentile(99));
    }
    return figures;
  }
}

package dev.mely.bench.kafka;

import dev.mely.Mely;
import dev.mely.bench.Json;
import dev.mely.bench.server.JvmProcess;
import dev.mely.kafka.KafkaColors;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * The JVM of a round that measures the heap. Receives all records of a topic, none of which is ever
 * done, and prints how many bytes the heap has grown by.
 */
final class HeapMain {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long LOOK_MILLIS = 100;

  private HeapMain() {}

  /**
   * Measures.
   *
   * @param args a {@link RoundSetup}, as JSON: of Mely's consumer, or of a plain one that keeps the
   *     records in a list
   */
  public static void main(String[] args) throws InterruptedException {
    RoundSetup setup = Objects.requireNonNull(Json.read(args[0], RoundSetup.class));
    long before = usedBytes();
    long after = setup.contender() == Contender.PLAIN ? ofList(setup) : ofMely(setup);
    JvmProcess.say(after - before);
    Runtime.getRuntime().halt(0); // closing would wait for the handlers
  }

  private static long ofList(RoundSetup setup) throws InterruptedException {
    List<ConsumerRecord<Integer, byte[]>> kept = new ArrayList<>(setup.records());
    try (KafkaConsumer<Integer, byte[]> consumer = new KafkaConsumer<>(setup.consumer())) {
      consumer.subscribe(List.of(setup.topic()));
      while (kept.size() < setup.records()) {
        consumer.poll(POLL).forEach(kept::add);
      }
      long used = usedBytes();
      if (kept.size() != setup.records()) { // reads the list, which thereby lives until here
        throw new IllegalStateException("too many records: " + kept.size());
      }
      return used;
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // the process is halted
  private static long ofMely(RoundSetup setup) throws InterruptedException {
    Mely mely = Mely.builder().cores(setup.cores()).build();
    LongAdder atWork = new LongAdder();
    KafkaColors colors =
        KafkaColors.<Integer, byte[]>builder(mely, setup.consumer())
            .topics(setup.topic())
            .maxPending(Integer.MAX_VALUE, Long.MAX_VALUE)
            .maxPendingPerPartition(Integer.MAX_VALUE)
            .asyncHandler(
                record -> {
                  atWork.increment();
                  return new CompletableFuture<>();
                })
            .start();
    // Each key has a record at work.
    while (colors.progress().pending() < setup.records() || atWork.sum() < setup.keys()) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    return usedBytes();
  }

  private static long usedBytes() {
    System.gc();
    System.gc(); // references that the first has only enqueued
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}

package dev.mely.examples.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends records at a fixed rate, a share of them with the first key. */
final class RecordSource implements AutoCloseable {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int PERCENT = 100;

  /** How long a record waits for brokers that are away, before it has failed. */
  private static final int LONGEST_MILLIS = 5_000;

  private final KafkaCommand options;
  private final KafkaProducer<Integer, String> producer;
  private final SplittableRandom random = new SplittableRandom();
  private final Thread thread = new Thread(this::run, "kafka-source");
  private final LongAdder failed = new LongAdder();
  private volatile boolean closed;

  private RecordSource(String address, KafkaCommand options) {
    this.options = options;
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", address, "max.block.ms", LONGEST_MILLIS),
            new IntegerSerializer(),
            new StringSerializer());
  }

  static RecordSource start(String address, KafkaCommand options) {
    RecordSource source = new RecordSource(address, options);
    if (options.rate() > 0) {
      source.thread.start();
    }
    return source;
  }

  private void run() {
    long begin = System.nanoTime();
    for (long number = 0; !closed; number++) {
      long due = begin + number * SECOND / options.rate();
      for (long left = due - System.nanoTime();
          left > 0 && !closed;
          left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      send("order " + number);
    }
  }

  private void send(String value) {
    try {
      Future<?> unused = // the callback is told
          producer.send(
              new ProducerRecord<>(options.topic(), key(), value),
              (metadata, failure) -> {
                if (failure != null) {
                  failed.increment();
                }
              });
    } catch (KafkaException e) {
      failed.increment();
    }
  }

  /** Records that no broker has taken. */
  long failed() {
    return failed.sum();
  }

  private int key() {
    boolean isHot = options.keys() == 1 || random.nextInt(PERCENT) < options.hot();
    return isHot ? 0 : 1 + random.nextInt(options.keys() - 1);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close(Duration.ofMillis(LONGEST_MILLIS));
  }
}

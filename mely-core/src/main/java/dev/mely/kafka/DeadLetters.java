package dev.mely.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Sends records that have failed for good to a topic of their own, byte by byte as they were; the
 * headers say where each was and why it is there. On a thread of its own, since a producer waits
 * for a broker that is away.
 */
final class DeadLetters {
  static final String TOPIC = "mely-topic";
  static final String PARTITION = "mely-partition";
  static final String OFFSET = "mely-offset";
  static final String ATTEMPTS = "mely-attempts";
  static final String EXCEPTION = "mely-exception";
  static final String MESSAGE = "mely-exception-message";

  private final Supplier<Producer<byte[], byte[]>> producers;
  private final UnaryOperator<String> topics;
  private final ExecutorService thread;

  /** Its thread only: null before the first record. */
  private @Nullable Producer<byte[], byte[]> producer;

  final LongAdder sent = new LongAdder();

  /**
   * @param producers called at the first record
   * @param topics from a record's topic to that of its dead letters
   */
  DeadLetters(Supplier<Producer<byte[], byte[]>> producers, UnaryOperator<String> topics) {
    this.producers = producers;
    this.topics = topics;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread made = new Thread(task, "mely-kafka-dead-letters");
              made.setDaemon(true);
              return made;
            });
  }

  /** Any thread: completes when the brokers have it. */
  CompletionStage<?> send(PendingRecord record) {
    ConsumerRecord<byte[], byte[]> raw = Objects.requireNonNull(record.raw());
    Throwable cause = record.failure;
    int failures = record.failures;
    CompletableFuture<Object> done = new CompletableFuture<>();
    try {
      thread.execute(() -> send(raw, failures, cause, done));
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(e);
    }
    return done;
  }

  private void send(
      ConsumerRecord<byte[], byte[]> raw,
      int failures,
      @Nullable Throwable cause,
      CompletableFuture<Object> done) {
    try {
      if (producer == null) {
        producer = producers.get();
      }
      Future<?> unused = // the callback is told
          producer.send(
              letter(raw, failures, cause),
              (metadata, failure) -> {
                if (failure == null) {
                  sent.increment();
                  done.complete(metadata);
                } else {
                  done.completeExceptionally(failure);
                }
              });
    } catch (Throwable t) {
      done.completeExceptionally(t);
    }
  }

  private ProducerRecord<byte[], byte[]> letter(
      ConsumerRecord<byte[], byte[]> raw, int failures, @Nullable Throwable cause) {
    ProducerRecord<byte[], byte[]> letter =
        new ProducerRecord<>(
            topics.apply(raw.topic()), null, null, raw.key(), raw.value(), raw.headers());
    Headers headers = letter.headers();
    put(headers, TOPIC, raw.topic());
    put(headers, PARTITION, String.valueOf(raw.partition()));
    put(headers, OFFSET, String.valueOf(raw.offset()));
    put(headers, ATTEMPTS, String.valueOf(failures));
    if (cause != null) {
      put(headers, EXCEPTION, cause.getClass().getName());
      put(headers, MESSAGE, String.valueOf(cause.getMessage()));
    }
    return letter;
  }

  /** A record that comes from a dead-letter topic has them already. */
  private static void put(Headers headers, String name, String value) {
    headers.remove(name).add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Waits until what has been handed over is sent, or the deadline is over. */
  void close(Duration deadline) {
    thread.execute(
        () -> {
          if (producer != null) {
            producer.close(deadline);
          }
        });
    thread.shutdown();
    try {
      if (!thread.awaitTermination(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}

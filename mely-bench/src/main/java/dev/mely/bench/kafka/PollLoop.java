package dev.mely.bench.kafka;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** A thread with Kafka's own consumer, which polls and once a second commits. */
abstract class PollLoop implements Consumption {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final KafkaConsumer<Integer, byte[]> consumer;
  private final Thread thread;
  private volatile boolean over;

  /** As a member of the group, with whatever partitions that gives it. */
  PollLoop(RoundSetup setup) {
    this(setup, consumer -> consumer.subscribe(List.of(setup.topic())));
  }

  /** With one partition: a rebalance while others join would repeat records. */
  PollLoop(RoundSetup setup, int partition) {
    this(setup, consumer -> consumer.assign(List.of(new TopicPartition(setup.topic(), partition))));
  }

  private PollLoop(RoundSetup setup, Consumer<KafkaConsumer<?, ?>> source) {
    consumer = new KafkaConsumer<>(setup.consumer());
    source.accept(consumer);
    thread = new Thread(this::loop, "poll");
  }

  /** Starts it, when the subclass is complete. */
  final PollLoop start() {
    thread.start();
    return this;
  }

  /** Takes what a poll has returned. */
  abstract void take(ConsumerRecords<Integer, byte[]> records) throws InterruptedException;

  /** Commits what is done; {@code last}: waits for all of it. */
  abstract void commit(KafkaConsumer<Integer, byte[]> consumer, boolean last)
      throws InterruptedException;

  private void loop() {
    try (consumer) {
      long committed = System.nanoTime();
      while (!over) {
        take(consumer.poll(POLL));
        if (System.nanoTime() - committed >= COMMIT_NANOS) {
          commit(consumer, false);
          committed = System.nanoTime();
        }
      }
      commit(consumer, true);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts it", e);
    }
  }

  final void stop() {
    over = true;
  }

  @Override
  public final void end() throws InterruptedException {
    stop();
    thread.join();
  }
}

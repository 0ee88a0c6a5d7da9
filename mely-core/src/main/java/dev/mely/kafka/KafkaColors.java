package dev.mely.kafka;

import dev.mely.Mely;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A Kafka consumer whose records are handled in colors: those of one key one after the other, in
 * the order of their partition, different keys in parallel.
 *
 * <pre>{@code
 * KafkaColors orders =
 *     KafkaColors.<String, Order>builder(mely, properties)
 *         .topics("orders")
 *         .handler(record -> book(record.value()))
 *         .start();
 * }</pre>
 *
 * <p>At least once: a record is committed when it, and all before it in its partition, are done.
 * What is done beyond that is noted in the commit's metadata, so that a restart does not handle it
 * again; only what was done since the last commit may be. When a partition goes to another
 * consumer, handlers at work are waited for, what has not begun is left to that consumer. There are
 * no transactions: what handlers write elsewhere, into Kafka too, may be written twice.
 *
 * <p>The color of a key is {@code mely.color(key)} (of an array of bytes that of a {@link
 * java.nio.ByteBuffer} with them): what else runs in that color excludes the handlers of its
 * records, though not what an asynchronous one has begun. Keys that are equal are one color over
 * all topics and partitions. Records without a key have a color each.
 *
 * <p>One thread polls, however long handlers take, so the consumer stays a member of its group.
 * Thread-safe. Source: Mely, section II (colors), for records.
 */
@SuppressWarnings("exports") // a program that calls it has Kafka's clients
public final class KafkaColors implements AutoCloseable {
  final ConsumerLoop<?, ?> loop;

  KafkaColors(ConsumerLoop<?, ?> loop) {
    this.loop = loop;
  }

  /**
   * Starts the configuration of a consumer.
   *
   * @param <K> type of the records' keys
   * @param <V> type of their values
   * @param mely runs the handlers; it is to be closed after the consumer
   * @param properties of a Kafka consumer: {@code bootstrap.servers}, {@code group.id}, {@code
   *     key.deserializer}, {@code value.deserializer} at least
   * @return a builder with defaults that work
   * @throws IllegalArgumentException if one of these four is missing, or {@code enable.auto.commit}
   *     is set
   */
  public static <K, V> KafkaColorsBuilder<K, V> builder(Mely mely, Map<String, ?> properties) {
    return new KafkaColorsBuilder<>(mely, properties);
  }

  /** As {@link #builder(Mely, Map)}. */
  public static <K, V> KafkaColorsBuilder<K, V> builder(Mely mely, Properties properties) {
    Objects.requireNonNull(properties, "properties");
    Map<String, Object> all = new HashMap<>();
    for (String name : properties.stringPropertyNames()) { // those of its defaults, too
      all.put(name, properties.getProperty(name));
    }
    properties.forEach((name, value) -> all.put(name.toString(), value));
    return new KafkaColorsBuilder<>(mely, all);
  }

  /**
   * Returns what has been done, and what is pending.
   *
   * @return a recent snapshot
   */
  public Progress progress() {
    return loop.progress();
  }

  /**
   * Returns the end of the consumer.
   *
   * @return completes when it is closed; exceptionally if a failure has stopped it: a record that
   *     has failed for good, or what Kafka's consumer cannot go on after
   */
  public CompletableFuture<Void> ended() {
    return loop.end().copy();
  }

  /** Begins to {@linkplain #close close} and does not wait: for handlers, too. */
  public void stop() {
    loop.stop();
  }

  /**
   * Takes no new records, waits for those that have been received, commits, and leaves the group;
   * if handlers are not done by the {@linkplain KafkaColorsBuilder#drain deadline}, without them.
   * Brokers that are away are waited for as long once more, at the commit and at leaving. Does
   * nothing if the consumer has ended.
   *
   * @throws IllegalStateException in a handler of its records, which would wait for itself
   */
  @Override
  public void close() {
    if (loop.isWithin()) {
      throw new IllegalStateException("a handler cannot wait for the end of its consumer: stop()");
    }
    loop.stop();
    try {
      loop.end().join();
    } catch (CompletionException e) {
      return; // the log says it, and ended()
    }
  }
}

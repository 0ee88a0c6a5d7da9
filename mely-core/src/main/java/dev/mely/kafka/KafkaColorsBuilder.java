package dev.mely.kafka;

import dev.mely.Handler;
import dev.mely.Mely;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link KafkaColors}. Topics and a handler have to be given. Not thread-safe.
 *
 * @param <K> type of the records' keys
 * @param <V> type of their values
 */
@SuppressWarnings("exports") // a program that calls it has Kafka's clients
public final class KafkaColorsBuilder<K, V> {
  private static final List<String> NEEDED =
      List.of(
          ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
          ConsumerConfig.GROUP_ID_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

  private static final Duration LONGEST = Duration.ofDays(365);

  private static final Set<String> PRODUCER_SETTINGS = ProducerConfig.configNames();

  private final Mely mely;
  private final Map<String, Object> properties;
  private Function<? super Map<String, Object>, ? extends Consumer<byte[], byte[]>> consumers =
      all -> new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());

  private @Nullable BiConsumer<Consumer<byte[], byte[]>, ConsumerRebalanceListener> subscription;
  private @Nullable RecordHandler<K, V> handler;
  private Function<? super ConsumerRecord<K, V>, ?> key = ConsumerRecord::key;
  private int maxPending = 20_000;
  private long maxPendingBytes = 64L << 20;
  private int maxPendingPerPartition = 20_000;
  private int maxPendingPerKey = Integer.MAX_VALUE;
  private Retries retries = Retries.DEFAULT;
  private @Nullable UnaryOperator<String> deadLetterTopics;
  private @Nullable Supplier<? extends Producer<byte[], byte[]>> producers;
  private Duration commitInterval = Duration.ofSeconds(1);
  private Duration drain = Duration.ofSeconds(10);
  private Duration log = Duration.ZERO;

  KafkaColorsBuilder(Mely mely, Map<String, ?> properties) {
    this.mely = Objects.requireNonNull(mely, "mely");
    this.properties = new HashMap<>(Objects.requireNonNull(properties, "properties"));
    for (String name : NEEDED) {
      if (this.properties.get(name) == null) {
        throw new IllegalArgumentException("the consumer's properties lack " + name);
      }
    }
    Object autoCommit = this.properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    if (autoCommit != null && Boolean.parseBoolean(autoCommit.toString())) {
      throw new IllegalArgumentException(
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG
              + " must not be true: it would commit records that are not done");
    }
  }

  // ---- What is consumed

  /**
   * Sets the topics.
   *
   * @param topics one or more
   * @return this
   * @throws IllegalArgumentException if there is none
   */
  public KafkaColorsBuilder<K, V> topics(String... topics) {
    List<String> names = List.of(Objects.requireNonNull(topics, "topics"));
    if (names.isEmpty()) {
      throw new IllegalArgumentException("no topics");
    }
    subscription = (consumer, listener) -> consumer.subscribe(names, listener);
    return this;
  }

  /**
   * Sets the topics by a pattern; topics that are made later are consumed, too.
   *
   * @param topics matches whole names
   * @return this
   */
  public KafkaColorsBuilder<K, V> topics(Pattern topics) {
    Objects.requireNonNull(topics, "topics");
    subscription = (consumer, listener) -> consumer.subscribe(topics, listener);
    return this;
  }

  /**
   * Sets what records are kept apart by. Default: the record's key.
   *
   * @param key any object with {@code equals} and {@code hashCode}, see {@link Mely#color(Object)};
   *     null: the record excludes no other. Called by the consumer's thread: it must be quick
   * @return this
   */
  public KafkaColorsBuilder<K, V> key(Function<? super ConsumerRecord<K, V>, ?> key) {
    this.key = Objects.requireNonNull(key, "key");
    return this;
  }

  /**
   * Sets what handles records. A record is done when it returns, has failed if it throws. If it
   * only begins something, such as a call whose future it leaves, the record is done too early:
   * return that future from an {@link #asyncHandler}.
   *
   * @param handler called in the color of the record's key
   * @return this
   */
  public KafkaColorsBuilder<K, V> handler(Handler.Action<? super ConsumerRecord<K, V>> handler) {
    Objects.requireNonNull(handler, "handler");
    this.handler =
        record -> {
          handler.handle(record);
          return null;
        };
    return this;
  }

  /**
   * Sets what handles records asynchronously, or both ways. A result that never completes holds up
   * its key, and its partition's commits, for ever: give it a time limit ({@link
   * java.util.concurrent.CompletableFuture#orTimeout}).
   *
   * @param handler called in the color of the record's key
   * @return this
   */
  public KafkaColorsBuilder<K, V> asyncHandler(RecordHandler<K, V> handler) {
    this.handler = Objects.requireNonNull(handler, "handler");
    return this;
  }

  // ---- Failures

  /**
   * Sets how often a record that has failed is tried again. Its key waits meanwhile, others do not.
   * Default: 5 times, after 0.1, 0.2, 0.4, 0.8 and 1.6 s.
   *
   * @param most after the first attempt, 0 or more
   * @param first back-off, more than zero; each further one is twice as long
   * @param longest back-off, not shorter than the first
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public KafkaColorsBuilder<K, V> retries(int most, Duration first, Duration longest) {
    if (most < 0) {
      throw new IllegalArgumentException("retries must be 0 or more, but are " + most);
    }
    positive("first", first);
    positive("longest", longest);
    if (longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "the longest back-off, " + longest + ", is shorter than the first, " + first);
    }
    this.retries = new Retries(most, first, longest);
    return this;
  }

  /**
   * Sends records that have failed for good, or that cannot be read, to a dead-letter topic, byte
   * by byte as they are; headers say where each was ({@code mely-topic}, {@code mely-partition},
   * {@code mely-offset}) and why it is there ({@code mely-exception}, {@code
   * mely-exception-message}, {@code mely-attempts}). A pattern of topics must not match them.
   * Default: the consumer stops at such a record.
   *
   * @param topics from a record's topic to that of its dead letters
   * @return this
   */
  public KafkaColorsBuilder<K, V> deadLetters(UnaryOperator<String> topics) {
    this.deadLetterTopics = Objects.requireNonNull(topics, "topics");
    return this;
  }

  /**
   * Sends dead letters to the topic whose name is the record's topic and {@code -dlt}.
   *
   * @return this
   * @see #deadLetters(UnaryOperator)
   */
  public KafkaColorsBuilder<K, V> deadLetters() {
    return deadLetters(topic -> topic + "-dlt");
  }

  // ---- Limits

  /**
   * Sets how much may be pending before partitions are paused. A poll's records, 500 by default
   * ({@code max.poll.records}), may come on top.
   *
   * @param records received and not done; default 20,000
   * @param bytes of their keys and values; default 64 MiB
   * @return this
   * @throws IllegalArgumentException if one of them is not positive
   */
  public KafkaColorsBuilder<K, V> maxPending(int records, long bytes) {
    maxPending = (int) positive("maxPending", records);
    maxPendingBytes = positive("maxPending, in bytes,", bytes);
    return this;
  }

  /**
   * Sets how many records of a partition may have been received from the first that is not done.
   * Default 20,000: the metadata of a commit has room for as many, if offsets have no gaps. With
   * more, a restart may handle some of them again.
   *
   * @param records 1 or more
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public KafkaColorsBuilder<K, V> maxPendingPerPartition(int records) {
    maxPendingPerPartition = (int) positive("maxPendingPerPartition", records);
    return this;
  }

  /**
   * Sets how many records of a key may be pending before the partition that they come from is
   * paused. Default: no limit but the others. A limit keeps one key from taking all the room, but
   * holds up the other keys of its partition.
   *
   * @param records 1 or more
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public KafkaColorsBuilder<K, V> maxPendingPerKey(int records) {
    maxPendingPerKey = (int) positive("maxPendingPerKey", records);
    return this;
  }

  /**
   * Sets how often offsets are committed.
   *
   * @param interval more than zero; default 1 s
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public KafkaColorsBuilder<K, V> commitInterval(Duration interval) {
    commitInterval = positive("interval", interval);
    return this;
  }

  /**
   * Sets how long handlers are waited for when a partition goes to another consumer, and {@link
   * KafkaColors#close} waits for what has been received.
   *
   * @param deadline more than zero, and shorter than {@code max.poll.interval.ms}; default 10 s
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public KafkaColorsBuilder<K, V> drain(Duration deadline) {
    drain = positive("deadline", deadline);
    return this;
  }

  /**
   * Logs the {@linkplain Progress progress}, to the system logger {@code dev.mely.kafka}.
   *
   * @param interval more than zero; default: not at all
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public KafkaColorsBuilder<K, V> logProgress(Duration interval) {
    log = positive("interval", interval);
    return this;
  }

  private static long positive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive, but is " + value);
    }
    return value;
  }

  private static Duration positive(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.isZero() || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be positive and at most 365 days, but is " + value);
    }
    return value;
  }

  // ---- Kafka's clients

  /**
   * Sets what makes the consumer: for a wrapper, or a mock.
   *
   * @param consumers given the properties
   * @return this
   */
  public KafkaColorsBuilder<K, V> consumer(
      Function<? super Map<String, Object>, ? extends Consumer<byte[], byte[]>> consumers) {
    this.consumers = Objects.requireNonNull(consumers, "consumers");
    return this;
  }

  /**
   * Sets what makes the producer of dead letters. Default: one with those of the consumer's
   * properties that producers know, such as {@code bootstrap.servers} and those for security.
   *
   * @param producers called once, when there is a dead letter
   * @return this
   */
  public KafkaColorsBuilder<K, V> producer(Supplier<? extends Producer<byte[], byte[]>> producers) {
    this.producers = Objects.requireNonNull(producers, "producers");
    return this;
  }

  /**
   * Makes the consumer and starts its thread.
   *
   * @return the running consumer
   * @throws IllegalStateException if topics or a handler are missing
   * @throws IllegalArgumentException if {@link #drain} is not shorter than {@code
   *     max.poll.interval.ms}
   * @throws org.apache.kafka.common.KafkaException if the properties do not make a consumer
   */
  public KafkaColors start() {
    check();
    ConsumerLoop<K, V> loop = new ConsumerLoop<>(this);
    Object group = properties.get(ConsumerConfig.GROUP_ID_CONFIG);
    new Thread(loop, "mely-kafka-" + group).start();
    return new KafkaColors(loop);
  }

  private void check() {
    Integer longest =
        new ConsumerConfig(properties).getInt(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
    if (drain.compareTo(Duration.ofMillis(longest)) >= 0) {
      throw new IllegalArgumentException(
          "drain, "
              + drain
              + ", must be shorter than "
              + ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG
              + ", "
              + longest
              + " ms: the consumer would lose its membership while it waits for handlers");
    }
  }

  // ---- For the consumer's thread

  Mely mely() {
    return mely;
  }

  BiConsumer<Consumer<byte[], byte[]>, ConsumerRebalanceListener> subscription() {
    if (subscription == null) {
      throw new IllegalStateException("no topics: call topics(...)");
    }
    return subscription;
  }

  RecordHandler<K, V> handler() {
    if (handler == null) {
      throw new IllegalStateException("no handler: call handler(...)");
    }
    return handler;
  }

  Consumer<byte[], byte[]> newConsumer() {
    return consumers.apply(new HashMap<>(properties));
  }

  Limits limits() {
    return new Limits(maxPending, maxPendingBytes, maxPendingPerPartition, maxPendingPerKey);
  }

  Retries retries() {
    return retries;
  }

  Duration commitInterval() {
    return commitInterval;
  }

  Duration deadline() {
    return drain;
  }

  Duration logInterval() {
    return log;
  }

  @Nullable DeadLetters newDeadLetters() {
    UnaryOperator<String> topics = deadLetterTopics;
    if (topics == null) {
      return null;
    }
    Supplier<? extends Producer<byte[], byte[]>> given = producers;
    return new DeadLetters(given != null ? given::get : this::newProducer, topics);
  }

  private Producer<byte[], byte[]> newProducer() {
    Map<String, Object> settings = new HashMap<>(properties);
    settings.keySet().retainAll(PRODUCER_SETTINGS);
    settings.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG); // these are a consumer's
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @SuppressWarnings("unchecked") // as with Kafka's own consumer, the properties decide
  Dispatcher<K, V> newDispatcher(RecordRunner<K, V> runner, boolean keepsRaw) {
    ConsumerConfig config = new ConsumerConfig(properties);
    Deserializer<K> keys =
        config.getConfiguredInstance(
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, Deserializer.class);
    keys.configure(config.originals(), true);
    Deserializer<V> values =
        config.getConfiguredInstance(
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, Deserializer.class);
    values.configure(config.originals(), false);
    return new Dispatcher<>(mely, keys, values, key, runner, keepsRaw);
  }
}

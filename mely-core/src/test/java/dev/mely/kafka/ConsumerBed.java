package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A consumer of {@link FakeGroup}'s topic with two partitions, and what tests of it share. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ConsumerBed {
  static final long PATIENCE_SECONDS = 120;

  final Mely mely = Mely.builder().cores(2).build();
  final Set<String> done = ConcurrentHashMap.newKeySet();
  final Queue<String> seen = new ConcurrentLinkedQueue<>();
  final FakeGroup group =
      new FakeGroup(2, record -> done.contains(record.partition() + ":" + record.offset()));
  final FakeMember member = group.join();
  KafkaColors consumer;

  /** For dead letters, where a test asks for it. */
  final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

  /** Held, or its level would be forgotten. */
  private final Logger logger = Logger.getLogger("dev.mely.kafka");

  @BeforeEach
  void quiet() {
    logger.setLevel(Level.OFF); // failures are planted
  }

  @AfterEach
  void end() {
    if (consumer != null) {
      consumer.close();
    }
    mely.close();
    assertEquals(List.of(), List.copyOf(group.faults));
  }

  static Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", "nowhere:1");
    properties.put("group.id", "test");
    properties.put("key.deserializer", StringDeserializer.class.getName());
    properties.put("value.deserializer", KafkaProgramTest.Reader.class.getName());
    return properties;
  }

  KafkaColorsBuilder<String, String> builder() {
    return builder(properties());
  }

  KafkaColorsBuilder<String, String> builder(Map<String, Object> properties) {
    return KafkaColors.<String, String>builder(mely, properties)
        .topics(FakeGroup.TOPIC)
        .consumer(all -> member.consumer())
        .commitInterval(Duration.ofMillis(1))
        .retries(2, Duration.ofMillis(1), Duration.ofMillis(1))
        .drain(Duration.ofSeconds(PATIENCE_SECONDS))
        .handler(this::note);
  }

  void note(ConsumerRecord<String, String> record) {
    seen.add(record.value());
    done(record);
  }

  void done(ConsumerRecord<?, ?> record) {
    done.add(record.partition() + ":" + record.offset());
  }

  void start(KafkaColorsBuilder<String, String> settings) {
    consumer = settings.start();
    member.assign(0, 1);
  }

  static void until(BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), "in time");
      Thread.sleep(1);
    }
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  Throwable failure() throws Exception {
    return assertThrows(
            ExecutionException.class,
            () -> consumer.ended().get(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .getCause();
  }
}

package dev.mely.examples.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Mely;
import dev.mely.kafka.KafkaColors;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Consumers on a real broker, which come and go: no record is lost, the order of each key holds,
 * and all is committed.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaBrokerTest {
  private static final int RECORDS = 6_000;
  private static final int KEYS = 200;
  private static final int PARTITIONS = 4;
  private static final long PATIENCE_SECONDS = 240;

  @TempDir private static Path folder;
  private static LocalBroker broker;

  private final Map<String, Queue<Integer>> firsts = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();

  @BeforeAll
  static void start() throws Exception {
    broker = LocalBroker.start(folder);
  }

  @AfterAll
  static void end() {
    broker.close();
  }

  /** The newest protocol, and the older one with both ways to rebalance. */
  @ParameterizedTest
  @CsvSource({
    "consumer,",
    "classic, org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
    "classic, org.apache.kafka.clients.consumer.RangeAssignor"
  })
  void consumersComeAndGo(String protocol, String assignor) throws Exception {
    String topic = "orders-" + protocol + "-" + assignor;
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", broker.address());
    properties.put("group.id", "of-" + topic);
    properties.put("auto.offset.reset", "earliest");
    properties.put("key.deserializer", StringDeserializer.class);
    properties.put("value.deserializer", StringDeserializer.class);
    properties.put("group.protocol", protocol);
    if (assignor != null) {
      properties.put("partition.assignment.strategy", assignor);
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
        Mely mely = Mely.builder().cores(2).build()) {
      admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
      List<KafkaColors> all = new ArrayList<>();
      List<KafkaColors> consumers = new ArrayList<>();
      consumers.add(consumer(mely, properties, topic));
      send(topic, 0, RECORDS / 3);
      consumers.add(consumer(mely, properties, topic));
      until(() -> consumers.stream().allMatch(KafkaBrokerTest::hasPartitions));
      send(topic, RECORDS / 3, RECORDS / 3);
      until(() -> deliveries.size() > RECORDS / 2);
      all.add(consumers.remove(0));
      all.get(0).close();
      consumers.add(consumer(mely, properties, topic));
      until(() -> consumers.stream().allMatch(KafkaBrokerTest::hasPartitions));
      send(topic, 2 * RECORDS / 3, RECORDS / 3);
      until(() -> deliveries.size() == RECORDS);
      all.addAll(consumers);
      for (KafkaColors consumer : consumers) {
        consumer.close();
        consumer.ended().get(PATIENCE_SECONDS, TimeUnit.SECONDS); // no failure
      }
      assertEquals(ends(admin, topic), committed(admin, properties.get("group.id").toString()));
      if (all.stream().allMatch(consumer -> consumer.progress().failedCommits() == 0)) {
        assertEquals(List.of(), repeated(), "all consumers have left in an orderly way");
      }
    }
    firsts.forEach(
        (key, numbers) ->
            assertEquals(numbers.stream().sorted().toList(), List.copyOf(numbers), key));
  }

  private List<String> repeated() {
    return deliveries.entrySet().stream()
        .filter(e -> e.getValue().get() > 1)
        .map(Map.Entry::getKey)
        .toList();
  }

  private static boolean hasPartitions(KafkaColors consumer) {
    return !consumer.progress().partitions().isEmpty();
  }

  private KafkaColors consumer(Mely mely, Map<String, Object> properties, String topic) {
    return KafkaColors.<String, String>builder(mely, properties)
        .topics(topic)
        .handler(this::handle)
        .commitInterval(Duration.ofMillis(50))
        .drain(Duration.ofSeconds(100))
        .start();
  }

  private void handle(ConsumerRecord<String, String> record) throws InterruptedException {
    int number = Integer.parseInt(record.value());
    if (deliveries.computeIfAbsent(record.value(), v -> new AtomicInteger()).getAndIncrement()
        == 0) {
      firsts.computeIfAbsent(record.key(), k -> new ConcurrentLinkedQueue<>()).add(number);
    }
    if (number % 100 == 0) {
      Thread.sleep(1);
    }
  }

  private static void send(String topic, int from, int count) {
    Random random = new Random(from);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            // A topic so young makes an idempotent one lose count.
            Map.of(
                "bootstrap.servers",
                broker.address(),
                "enable.idempotence",
                false,
                "max.in.flight.requests.per.connection",
                1),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = from; i < from + count; i++) {
        producer.send(new ProducerRecord<>(topic, "key" + random.nextInt(KEYS), "" + i));
      }
    }
  }

  private static void until(java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS).until(condition);
  }

  private static Map<Integer, Long> ends(Admin admin, String topic) throws Exception {
    Map<TopicPartition, org.apache.kafka.clients.admin.OffsetSpec> asked = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      asked.put(new TopicPartition(topic, i), org.apache.kafka.clients.admin.OffsetSpec.latest());
    }
    Map<Integer, Long> ends = new TreeMap<>();
    admin
        .listOffsets(asked)
        .all()
        .get()
        .forEach((partition, info) -> ends.put(partition.partition(), info.offset()));
    return ends;
  }

  private static Map<Integer, Long> committed(Admin admin, String group) throws Exception {
    Map<Integer, Long> committed = new TreeMap<>();
    Map<TopicPartition, OffsetAndMetadata> all =
        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    all.forEach((partition, offset) -> committed.put(partition.partition(), offset.offset()));
    return committed;
  }
}

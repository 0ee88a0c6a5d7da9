package dev.mely.examples.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;

/**
 * A topic of records with keys; what is in it is read back, not taken from what was sent, since a
 * producer may send a record twice. Not thread-safe.
 */
final class KeyedTopic implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 120;

  private final String name;
  private final int keys;
  private final Random random;
  private final KafkaProducer<Integer, byte[]> producer;
  private final KafkaConsumer<Integer, byte[]> reader;
  private final List<TopicPartition> partitions;
  private final KeyOrder records;
  private volatile Exception failure;

  KeyedTopic(Admin admin, String broker, String name, int partitionCount, int keys, Random random)
      throws Exception {
    this.name = name;
    this.keys = keys;
    this.random = random;
    admin
        .createTopics(List.of(new NewTopic(name, partitionCount, (short) 1)))
        .all()
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    partitions =
        IntStream.range(0, partitionCount).mapToObj(i -> new TopicPartition(name, i)).toList();
    records = new KeyOrder(partitionCount);
    // A topic so young makes an idempotent producer lose count.
    producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                broker,
                "enable.idempotence",
                false,
                "max.in.flight.requests.per.connection",
                1),
            new IntegerSerializer(),
            new ByteArraySerializer());
    reader =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker, "max.poll.records", 10_000),
            new IntegerDeserializer(),
            new ByteArrayDeserializer());
    reader.assign(partitions);
    reader.seekToBeginning(partitions);
  }

  /** Begins to send records; {@link #readBack} waits for that. */
  void send(int count) {
    for (int i = 0; i < count; i++) {
      int key = random.nextInt(keys);
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>(name, key % partitions.size(), key, new byte[8]),
              (metadata, cause) -> {
                if (cause != null) {
                  failure = cause;
                }
              });
    }
  }

  /** What is in the topic now: all that was sent. */
  KeyOrder readBack() {
    producer.flush();
    Exception cause = failure;
    if (cause != null) {
      throw new IllegalStateException("a record could not be sent", cause);
    }
    Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
    while (ends.entrySet().stream().anyMatch(e -> position(e.getKey()) < e.getValue())) {
      for (ConsumerRecord<Integer, byte[]> record : reader.poll(Duration.ofMillis(100))) {
        if (record.offset() != position(new TopicPartition(name, record.partition()))) {
          throw new IllegalStateException("offsets have gaps: " + record);
        }
        records.add(record.partition(), record.key());
      }
    }
    return records;
  }

  private int position(TopicPartition partition) {
    return records.size(partition.partition());
  }

  @Override
  public void close() {
    producer.close();
    reader.close();
  }
}

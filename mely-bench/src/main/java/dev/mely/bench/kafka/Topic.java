package dev.mely.bench.kafka;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.IntegerSerializer;

/**
 * A topic, which contenders consume from its beginning.
 *
 * @param name of the topic
 * @param partitions how many
 * @param records in it
 * @param keys how many there may be
 * @param choice how the records are spread over them
 */
record Topic(String name, int partitions, int records, int keys, Keys choice) {
  private static final int LINGER_MILLIS = 20;

  /** Makes it and waits until the broker has all records. */
  void fill(String address, long seed) throws Exception {
    make(address);
    SplittableRandom random = new SplittableRandom(seed);
    send(address, LINGER_MILLIS, i -> choice.choose(random, i, keys), i -> 0);
  }

  /** Makes it, without a record. */
  void make(String address) throws Exception {
    try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address))) {
      admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
    }
  }

  /**
   * Sends all records, and waits until the broker has them.
   *
   * @param lingerMillis how long a record may wait for others
   * @param keyOf the key of a record
   * @param dueOf when a record is due, see {@link Payload}, called after {@code keyOf}; may wait
   *     until then
   */
  void send(String address, int lingerMillis, IntUnaryOperator keyOf, IntToLongFunction dueOf)
      throws Exception {
    Map<String, Object> properties =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            address,
            ProducerConfig.LINGER_MS_CONFIG,
            lingerMillis,
            // A topic so young makes an idempotent producer lose count.
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            false,
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
            1);
    CompletableFuture<Void> failure = new CompletableFuture<>();
    int[] turns = new int[keys];
    try (KafkaProducer<Integer, byte[]> producer =
        new KafkaProducer<>(properties, new IntegerSerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < records; i++) {
        int key = keyOf.applyAsInt(i);
        byte[] value = new Payload(i, turns[key]++, dueOf.applyAsLong(i)).toBytes();
        Future<?> unused = // the callback says as much
            producer.send(
                new ProducerRecord<>(name, key, value),
                (written, wrong) -> {
                  if (wrong != null) {
                    failure.completeExceptionally(wrong);
                  }
                });
      }
      producer.flush();
    }
    failure.complete(null);
    failure.get();
  }
}

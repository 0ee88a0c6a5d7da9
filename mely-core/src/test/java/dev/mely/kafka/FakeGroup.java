package dev.mely.kafka;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * A topic in memory, and the consumers of one group: what brokers and Kafka's consumer do, as far
 * as {@link ConsumerLoop} sees it. The test says who gets which partition. Notes what must not
 * happen.
 */
final class FakeGroup {
  static final String TOPIC = "orders";

  /** A header of records that the commit said are done, from which their consumer has begun. */
  static final String DONE = "done";

  // Under this monitor; members use them too.
  final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> log = new HashMap<>();
  final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
  final Map<TopicPartition, FakeMember.Claim> owners = new HashMap<>();
  final Queue<String> faults = new ConcurrentLinkedQueue<>();

  /** Whether a record has been handled: asked of all that a commit says is done. */
  final Predicate<ConsumerRecord<byte[], byte[]>> isDone;

  FakeGroup(int partitions, Predicate<ConsumerRecord<byte[], byte[]>> isDone) {
    this.isDone = isDone;
    for (int i = 0; i < partitions; i++) {
      log.put(new TopicPartition(TOPIC, i), new ArrayList<>());
    }
  }

  Set<TopicPartition> partitions() {
    return log.keySet();
  }

  synchronized void send(int partition, byte[] key, byte[] value) {
    List<ConsumerRecord<byte[], byte[]>> records = log.get(new TopicPartition(TOPIC, partition));
    send(partition, records.isEmpty() ? 0 : last(records) + 1, key, value);
  }

  /** Offsets may leave gaps. */
  synchronized void send(int partition, long offset, byte[] key, byte[] value) {
    log.get(new TopicPartition(TOPIC, partition))
        .add(
            new ConsumerRecord<>(
                TOPIC,
                partition,
                offset,
                0,
                TimestampType.CREATE_TIME,
                key == null ? -1 : key.length,
                value == null ? -1 : value.length,
                key,
                value,
                new RecordHeaders(),
                java.util.Optional.of(7)));
  }

  void send(int partition, String key, String value) {
    send(partition, bytes(key), bytes(value));
  }

  static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  static long last(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.get(records.size() - 1).offset();
  }

  synchronized OffsetAndMetadata committed(int partition) {
    return committed.get(new TopicPartition(TOPIC, partition));
  }

  synchronized void commit(int partition, OffsetAndMetadata offset) {
    committed.put(new TopicPartition(TOPIC, partition), offset);
  }

  static boolean says(OffsetAndMetadata committed, ConsumerRecord<?, ?> record) {
    return record.offset() < committed.offset() || beyond(committed).contains(record.offset());
  }

  static DoneRuns beyond(OffsetAndMetadata committed) {
    try {
      return DoneRuns.decode(committed.offset(), committed.metadata());
    } catch (IllegalArgumentException e) {
      return new DoneRuns(); // not of this package
    }
  }

  /** All that is in the topic is committed. */
  synchronized boolean isAllCommitted() {
    return log.entrySet().stream()
        .allMatch(
            e ->
                e.getValue().isEmpty()
                    || (committed.containsKey(e.getKey())
                        && committed.get(e.getKey()).offset() > last(e.getValue())));
  }

  /** Told on the consumer's thread, before its own listener. */
  interface Watch {
    default void come(Set<TopicPartition> partitions) {}

    default void go(Set<TopicPartition> partitions) {}

    default void areLost(Set<TopicPartition> partitions) {}

    /** The listener has returned, in an orderly revocation. */
    default void haveGone(Set<TopicPartition> partitions) {}
  }

  FakeMember join() {
    return join(new Random(0), 0);
  }

  /**
   * @param failing one of as many asynchronous commits fails; 0: none
   */
  FakeMember join(Random random, int failing) {
    return new FakeMember(this, random, failing);
  }
}

package dev.mely.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.jspecify.annotations.Nullable;

/**
 * Commits the offsets of assigned partitions: from time to time, one commit under way at most; and
 * at once for partitions that go. The consumer's thread only.
 */
final class Commits {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.kafka");

  private final Consumer<byte[], byte[]> consumer;
  private final long intervalNanos;

  private boolean underWay;
  private boolean withMetadata = true;
  private long last = System.nanoTime();
  private long succeeded;
  private long failed;

  Commits(Consumer<byte[], byte[]> consumer, Duration interval) {
    this.consumer = consumer;
    this.intervalNanos = interval.toNanos();
  }

  long succeeded() {
    return succeeded;
  }

  long failed() {
    return failed;
  }

  /** Begins a commit if it is time to. */
  void look(Collection<PartitionOffsets> partitions, long now) {
    if (underWay || now - last < intervalNanos) {
      return;
    }
    last = now;
    List<PartitionOffsets> changed =
        partitions.stream().filter(PartitionOffsets::hasChanged).toList();
    if (changed.isEmpty()) {
      return;
    }
    underWay = true;
    try {
      consumer.commitAsync(take(changed), (offsets, failure) -> ended(changed, failure));
    } catch (KafkaException e) {
      ended(changed, e);
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> take(Collection<PartitionOffsets> changed) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (PartitionOffsets partition : changed) {
      offsets.put(partition.partition, partition.take(withMetadata));
    }
    return offsets;
  }

  private void ended(Collection<PartitionOffsets> partitions, @Nullable Exception failure) {
    underWay = false;
    count(partitions, failure);
  }

  private void count(Collection<PartitionOffsets> partitions, @Nullable Exception failure) {
    if (failure == null) {
      succeeded++;
      return;
    }
    failed++;
    withMetadata &= !(failure instanceof OffsetMetadataTooLarge); // of a broker that takes less
    partitions.forEach(PartitionOffsets::giveBack);
    LOGGER.log(System.Logger.Level.WARNING, "offsets are not committed now, but later", failure);
  }

  /**
   * Commits and waits. Partitions that have been lost are not to be among these.
   *
   * @param deadline how long
   */
  void now(Collection<PartitionOffsets> partitions, Duration deadline) {
    // All of them: what is under way may fail yet, and what is done may not have come back yet.
    List<PartitionOffsets> changed =
        partitions.stream().filter(PartitionOffsets::hasBegun).toList();
    if (changed.isEmpty()) {
      return;
    }
    try {
      consumer.commitSync(take(changed), deadline);
      count(changed, null);
    } catch (KafkaException e) {
      count(changed, e);
    }
  }
}

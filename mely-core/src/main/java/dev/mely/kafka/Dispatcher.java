package dev.mely.kafka;

import dev.mely.Mely;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads records, finds their keys and registers them with the keys' colors. The consumer's thread
 * only.
 *
 * @param <K> type of the records' keys
 * @param <V> type of their values
 */
final class Dispatcher<K, V> {
  private final Mely mely;
  private final Deserializer<K> keyReader;
  private final Deserializer<V> valueReader;
  private final Function<? super ConsumerRecord<K, V>, ?> keyOf;
  private final RecordRunner<K, V> runner;

  /** Whether records as they were sent are kept. */
  private final boolean keepsRaw;

  private final LiveKeys keys;

  /** Records that the runtime, which has bounds of its own, has no room for; in order. */
  private final Queue<PendingRecord> backlog = new ArrayDeque<>();

  private long pending;
  private long pendingBytes;

  Dispatcher(
      Mely mely,
      Deserializer<K> keyReader,
      Deserializer<V> valueReader,
      Function<? super ConsumerRecord<K, V>, ?> keyOf,
      RecordRunner<K, V> runner,
      boolean keepsRaw) {
    this.mely = mely;
    this.keyReader = keyReader;
    this.valueReader = valueReader;
    this.keyOf = keyOf;
    this.runner = runner;
    this.keepsRaw = keepsRaw;
    this.keys = new LiveKeys(mely);
  }

  /** A record has come; it is pending from now on. */
  PendingRecord dispatch(PartitionOffsets partition, ConsumerRecord<byte[], byte[]> raw, long now) {
    PendingRecord pendingRecord;
    ConsumerRecord<K, V> record = null;
    Throwable failure = null;
    try {
      K key =
          raw.key() == null ? null : keyReader.deserialize(raw.topic(), raw.headers(), raw.key());
      V value = null;
      try {
        value =
            raw.value() == null
                ? null
                : valueReader.deserialize(raw.topic(), raw.headers(), raw.value());
      } catch (Throwable t) {
        failure = t; // it has its key yet: the next of that key must not overtake it
      }
      record = record(raw, key, value);
      pendingRecord = new PendingRecord(partition, keys.enter(keyOf.apply(record)), raw, now);
    } catch (Throwable t) {
      failure = failure == null ? t : failure;
      pendingRecord = new PendingRecord(partition, keys.enter(null), raw, now);
    }
    if (failure != null) {
      check(failure);
      record = null;
    }
    pendingRecord.set(record, keepsRaw ? raw : null, failure);
    partition.add(pendingRecord);
    pending++;
    pendingBytes += pendingRecord.bytes;
    if (hasBacklog() || !register(pendingRecord)) {
      backlog.add(pendingRecord);
    }
    return pendingRecord;
  }

  /** A registry of schemas that is away, or a lack of memory, is not the record's fault. */
  private static void check(Throwable failure) {
    if (failure instanceof RetriableException || failure instanceof VirtualMachineError) {
      throw new KafkaException("records cannot be read now", failure);
    }
  }

  @SuppressWarnings("NullAway") // keys and values may be null
  private ConsumerRecord<K, V> record(
      ConsumerRecord<byte[], byte[]> raw, @Nullable K key, @Nullable V value) {
    return new ConsumerRecord<>(
        raw.topic(),
        raw.partition(),
        raw.offset(),
        raw.timestamp(),
        raw.timestampType(),
        raw.serializedKeySize(),
        raw.serializedValueSize(),
        key,
        value,
        keepsRaw ? new RecordHeaders(raw.headers()) : raw.headers(), // a handler may change them
        raw.leaderEpoch());
  }

  private boolean register(PendingRecord record) {
    return mely.tryRegister(record.key.color, runner, record);
  }

  /** Tries again to register what the runtime had no room for. */
  void registerBacklog() {
    for (PendingRecord next = backlog.peek();
        next != null && register(next);
        next = backlog.peek()) {
      backlog.remove();
    }
  }

  boolean hasBacklog() {
    return !backlog.isEmpty();
  }

  /** A record has come back from its color. */
  void ended(PendingRecord record) {
    pending--;
    pendingBytes -= record.bytes;
    keys.leave(record.key);
  }

  long pending() {
    return pending;
  }

  long pendingBytes() {
    return pendingBytes;
  }

  int liveKeys() {
    return keys.size();
  }

  void close() {
    try {
      keyReader.close();
    } finally {
      valueReader.close();
    }
  }
}

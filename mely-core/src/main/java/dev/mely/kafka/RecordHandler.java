package dev.mely.kafka;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Handles records, each in the color of its key. It must be thread-safe as far as records of
 * different keys go.
 *
 * @param <K> type of the records' keys
 * @param <V> type of their values
 */
@SuppressWarnings("exports") // a program that calls it has Kafka's clients
@FunctionalInterface
public interface RecordHandler<K, V> {
  /**
   * Handles a record. The next one of its key is handled when this one is done.
   *
   * @param record the record
   * @return completes when the record is done, so that its key waits and its core does not; null:
   *     it is done
   * @throws Exception the record has failed, as if the result completed exceptionally
   */
  @Nullable CompletionStage<?> handle(ConsumerRecord<K, V> record) throws Exception;
}

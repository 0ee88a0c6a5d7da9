package dev.mely.bench.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;

/**
 * A contender's round.
 *
 * @param contender what consumes
 * @param address of the broker
 * @param topic what is consumed, from its beginning to its end
 * @param group a new one
 * @param partitions of the topic
 * @param records in it
 * @param warmUp how many of them, the first ones, are not measured
 * @param keys how many there may be
 * @param effort for a record
 * @param cores for what has a number of cores
 * @param threads for what has a number of threads
 * @param seconds how long the round may take
 */
record RoundSetup(
    Contender contender,
    String address,
    String topic,
    String group,
    int partitions,
    int records,
    int warmUp,
    int keys,
    Effort effort,
    int cores,
    int threads,
    int seconds) {
  private static final int FEW_RECORDS = 10;

  /** Properties of a consumer: the client's defaults, for all but share groups. */
  Map<String, Object> consumer() {
    Map<String, Object> properties = shareConsumer();
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    return properties;
  }

  /** Properties of a consumer in a share group, where the group has the others. */
  Map<String, Object> shareConsumer() {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, address);
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, IntegerDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    if (effort.waits() && contender == Contender.SHARE_GROUP) {
      // Else the first consumers take batches of hundreds, and the others have nothing.
      properties.put(ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, "record_limit");
      properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, FEW_RECORDS);
    }
    return properties;
  }
}

/**
 * Compares consumers of a Kafka topic, on a real broker.
 *
 * <pre>
 *   KafkaCommand                                   rounds in turn, and the table
 *        | starts                                  fills a Topic
 *   BrokerMain                                     a JVM of its own: the broker
 *   RoundMain   ---- consumes the topic ----       a JVM of its own per round: one Contender,
 *                                                  whose records a Ledger checks
 *   KafkaMemoryCommand                             the same with a HeapMain per round: bytes, not time
 *   KafkaHotKeyCommand                             the same, while a PacedTopic is sent: latencies
 * </pre>
 */
@NullMarked
package dev.mely.bench.kafka;

import org.jspecify.annotations.NullMarked;

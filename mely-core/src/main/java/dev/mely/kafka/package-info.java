/**
 * Keys of Kafka topics as colors: records of one key are handled one after the other, in the order
 * of their partition; keys run in parallel, and idle cores steal whole keys.
 *
 * <p>Kafka does what needs several machines, the runtime what happens inside one: partitions go to
 * machines, keys to colors. Needs {@code org.apache.kafka:kafka-clients} 4.1 or newer, which this
 * library does not bring.
 */
@NullMarked
package dev.mely.kafka;

import org.jspecify.annotations.NullMarked;

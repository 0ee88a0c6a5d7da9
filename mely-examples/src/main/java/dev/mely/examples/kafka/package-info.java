/** {@link dev.mely.kafka} beside a Kafka broker. */
@NullMarked
package dev.mely.examples.kafka;

import org.jspecify.annotations.NullMarked;

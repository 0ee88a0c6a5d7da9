/** {@link dev.mely.kafka} on a real broker. */
package dev.mely.examples.kafka;

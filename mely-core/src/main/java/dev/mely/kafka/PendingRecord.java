package dev.mely.kafka;

import dev.mely.Event;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way: from the consumer's thread to the color of its key, and back.
 *
 * <pre>
 *             the handler is called             it is done, or in the dead-letter topic
 *   WAITING -------------------------&gt; RUNNING ----------------------------------------&gt; DONE
 *     |  ^                                |
 *     |  +--------------------------------+---------------------------------------------&gt; FAILED
 *     |       it has failed: again later      it has failed too often: the consumer stops
 *     |
 *     +---------------------------------------------------------------------------------&gt; LEFT
 *          the partition is not the consumer's any more, or this has ended
 * </pre>
 */
final class PendingRecord extends Event {
  /** What has to be over before a record goes on. */
  enum Awaits {
    BACK_OFF,
    HANDLER,
    DEAD_LETTER
  }

  static final byte WAITING = 0;
  static final byte RUNNING = 1;
  static final byte DONE = 2;
  static final byte FAILED = 3;
  static final byte LEFT = 4;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(PendingRecord.class, "state", byte.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final PartitionOffsets partition;

  final LiveKey key;

  final long offset;

  /** Of the key and the value, as they were sent. */
  final int bytes;

  /** {@link System#nanoTime} when it was received. */
  final long since;

  /** Null: it could not be read. */
  private @Nullable ConsumerRecord<?, ?> record;

  /** As it was sent; null: nothing asks for it. */
  private @Nullable ConsumerRecord<byte[], byte[]> raw;

  /** Color only: how often it has failed. */
  int failures;

  /** Why it could not be read; then color only: why it has failed. */
  @Nullable Throwable failure;

  /** Color only: what those behind it wait for, too. */
  Awaits awaits = Awaits.BACK_OFF;

  /** Written before the event that the color looks at it in; null: it has gone well. */
  @Nullable Throwable outcome;

  /**
   * Written by the color. Before it calls the handler it writes RUNNING and then looks whether the
   * partition is still the consumer's; the consumer's thread says that it is not and then looks at
   * this (Dekker): one sees the other.
   */
  private volatile byte state;

  PendingRecord(PartitionOffsets partition, LiveKey key, ConsumerRecord<?, ?> sent, long since) {
    this.partition = partition;
    this.key = key;
    this.offset = sent.offset();
    this.bytes = Math.max(0, sent.serializedKeySize()) + Math.max(0, sent.serializedValueSize());
    this.since = since;
  }

  void set(
      @Nullable ConsumerRecord<?, ?> newRecord,
      @Nullable ConsumerRecord<byte[], byte[]> newRaw,
      @Nullable Throwable newFailure) {
    record = newRecord;
    raw = newRaw;
    failure = newFailure;
  }

  byte state() {
    return state;
  }

  void run() {
    state = RUNNING;
  }

  void await() {
    STATE.setRelease(this, WAITING);
  }

  /** It will not be handled any more: what it refers to may go. */
  void end(byte newState) {
    record = null;
    raw = null;
    failure = null;
    STATE.setRelease(this, newState);
  }

  @SuppressWarnings("unchecked") // the consumer has made it
  <K, V> @Nullable ConsumerRecord<K, V> record() {
    return (ConsumerRecord<K, V>) record;
  }

  @Nullable ConsumerRecord<byte[], byte[]> raw() {
    return raw;
  }

  @Override
  public String toString() {
    return partition.partition + " at offset " + offset;
  }
}

package dev.mely.kafka;

import dev.mely.Handler;
import dev.mely.Mely;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Handles records in the colors of their keys: the part of the work that runs in parallel. States
 * are those of {@link PendingRecord}.
 *
 * @param <K> type of the records' keys
 * @param <V> type of their values
 */
final class RecordRunner<K, V> extends Handler<PendingRecord> {
  /** Records that one event handles, of those that have queued up behind another. */
  private static final int BATCH = 16;

  /** The consumer's thread. */
  interface Owner {
    /** A record will not be handled any more, see its state. */
    void ended(PendingRecord record);

    /** Handlers cannot go on: records wait for good. */
    void fail(Throwable cause);

    /** Whether records that have not begun are to be left. */
    boolean isStopping();
  }

  private final Mely mely;
  private final RecordHandler<K, V> handler;
  private final Retries retries;
  private final @Nullable DeadLetters deadLetters;
  private final Owner owner;
  private final Handler<LiveKey> goOn = new GoOn();

  /** Set in threads that are inside a handler: these must not wait for its consumer to end. */
  private final ThreadLocal<Boolean> inside = new ThreadLocal<>();

  /** Attempts after the first. */
  final LongAdder again = new LongAdder();

  /**
   * @param deadLetters null: the consumer stops at a record that has failed too often
   */
  RecordRunner(
      Mely mely,
      RecordHandler<K, V> handler,
      Retries retries,
      @Nullable DeadLetters deadLetters,
      Owner owner) {
    this.mely = mely;
    this.handler = handler;
    this.retries = retries;
    this.deadLetters = deadLetters;
    this.owner = owner;
  }

  boolean isInside() {
    return inside.get() != null;
  }

  @Override
  protected String stage() {
    return "Kafka records";
  }

  @Override
  public void handle(PendingRecord record) {
    LiveKey key = record.key;
    try {
      if (key.isHeld()) {
        key.hold(record);
      } else {
        begin(record);
      }
    } catch (Throwable t) { // such as a lack of memory
      fail(key, record, t);
    }
  }

  /** What cannot go on stays where it is: the key is held for good, and the consumer stops. */
  private void fail(LiveKey key, @Nullable PendingRecord record, Throwable cause) {
    key.heldBy = record;
    owner.fail(cause);
  }

  /** The runtime has ended, or has no memory. */
  @Override
  protected void rejected(PendingRecord record) {
    end(record, PendingRecord.LEFT);
    owner.fail(new RejectedExecutionException("the runtime has rejected " + record));
  }

  private void begin(PendingRecord record) {
    record.run(); // first, see there
    if (record.partition.isRevoked() || owner.isStopping()) {
      end(record, PendingRecord.LEFT);
      return;
    }
    ConsumerRecord<K, V> received = record.record();
    if (received == null) { // again, it cannot be read
      giveUp(record);
      return;
    }
    CompletionStage<?> stage;
    inside.set(true);
    try {
      stage = handler.handle(received);
    } catch (Throwable t) {
      failed(record, t);
      return;
    } finally {
      inside.remove();
    }
    if (stage == null) {
      end(record, PendingRecord.DONE);
    } else {
      await(record, stage, PendingRecord.Awaits.HANDLER);
    }
  }

  private void end(PendingRecord record, byte state) {
    record.end(state);
    owner.ended(record);
  }

  // ---- Failures

  private void failed(PendingRecord record, Throwable cause) {
    if (record.partition.isRevoked()) { // it is another consumer's matter
      end(record, PendingRecord.LEFT);
      return;
    }
    record.failure = cause;
    record.failures++;
    if (!retries.isAgain(record.failures)) {
      giveUp(record);
      return;
    }
    LiveKey key = record.key;
    record.await();
    record.awaits = PendingRecord.Awaits.BACK_OFF;
    record.key.heldBy = record;
    mely.schedule(key.color, goOn, key, retries.backOff(record.failures));
  }

  /** It has failed for good. */
  private void giveUp(PendingRecord record) {
    if (deadLetters != null) {
      await(record, deadLetters.send(record), PendingRecord.Awaits.DEAD_LETTER);
    } else {
      stop(record, record.failure);
    }
  }

  private void stop(PendingRecord record, @Nullable Throwable cause) {
    String how =
        record.failures == 0 ? "cannot be read" : "has failed " + record.failures + " times";
    record.key.heldBy = record; // those behind it must not overtake it
    end(record, PendingRecord.FAILED);
    owner.fail(new IllegalStateException("the record of " + record + " " + how, cause));
  }

  // ---- What has to be waited for

  private void await(PendingRecord record, CompletionStage<?> stage, PendingRecord.Awaits what) {
    LiveKey key = record.key;
    key.heldBy = record;
    record.awaits = what;
    CompletableFuture<Object> once = new CompletableFuture<>(); // whatever the stage does
    CompletableFuture<Object> unused =
        once.whenComplete(
            (result, failure) -> {
              record.outcome = failure == null ? null : cause(failure);
              register(key);
            });
    stage.whenComplete(
        (result, failure) -> {
          if (failure == null) {
            once.complete(null);
          } else {
            once.completeExceptionally(failure);
          }
        });
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private void register(LiveKey key) {
    try {
      mely.register(key.color, goOn, key);
    } catch (Throwable t) {
      owner.fail(t); // the key stays held, and its record is not done
    }
  }

  /** The record that others wait for has an outcome, or its back-off is over. */
  private void goOn(LiveKey key) {
    PendingRecord record = key.heldBy;
    try {
      if (record != null) {
        key.heldBy = null;
        goOn(record);
      }
      for (int i = 0; i < BATCH && key.heldBy == null; i++) {
        record = key.pollHeld();
        if (record == null) {
          return;
        }
        begin(record);
      }
      if (key.heldBy == null && key.isHeld()) {
        register(key);
      }
    } catch (Throwable t) {
      fail(key, record, t);
    }
  }

  private void goOn(PendingRecord record) {
    Throwable outcome = record.outcome;
    record.outcome = null;
    switch (record.awaits) {
      case BACK_OFF -> {
        again.increment();
        begin(record);
      }
      case HANDLER -> {
        if (outcome == null) {
          end(record, PendingRecord.DONE);
        } else {
          failed(record, outcome);
        }
      }
      case DEAD_LETTER -> {
        if (outcome == null) {
          end(record, PendingRecord.DONE);
        } else {
          stop(record, outcome);
        }
      }
    }
  }

  /** Goes on with a key. */
  private final class GoOn extends Handler<LiveKey> {
    @Override
    protected String stage() {
      return "Kafka records that waited";
    }

    @Override
    public void handle(LiveKey key) {
      goOn(key);
    }

    @Override
    protected void rejected(LiveKey key) {
      owner.fail(new RejectedExecutionException("the runtime has rejected " + key));
    }
  }
}

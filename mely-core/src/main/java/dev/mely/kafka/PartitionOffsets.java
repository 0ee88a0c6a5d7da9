package dev.mely.kafka;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of a partition from the first that is not done: what may be committed.
 *
 * <pre>
 *   offset     100    101    102    103    104    105
 *              done   done   runs   done   waits  not yet received
 *                            |      +-- in the metadata of the commit
 *                            +-- committed: the first that is not done
 * </pre>
 *
 * <p>The consumer's thread only, but for {@link #isRevoked}.
 */
final class PartitionOffsets {
  final TopicPartition partition;

  /** From the first that is not done; some of the others may be. */
  private final Deque<PendingRecord> records = new ArrayDeque<>();

  /** Offsets that a former consumer has done, as the metadata of its commit says. */
  private DoneRuns doneBefore;

  /** The next record has this offset, or a higher one; -1: not known yet. */
  private long next;

  private int epoch = -1;

  /** What was committed last is not what could be now. */
  private boolean changed;

  private volatile boolean revoked;

  // ---- Back-pressure, see Limits

  /** The consumer does not fetch it. */
  boolean paused;

  /** It has as many records as it may have. */
  boolean full;

  /** It waits for this key, which has as many records as it may have; null: for none. */
  @Nullable LiveKey heldBack;

  /**
   * @param next the offset that is committed, or where the consumer begins if none is; -1: not
   *     known
   * @param changed whether that is to be committed: else records that come while no consumer runs
   *     would be passed over by one that begins with the latest
   */
  PartitionOffsets(TopicPartition partition, DoneRuns doneBefore, long next, boolean changed) {
    this.partition = partition;
    this.doneBefore = doneBefore;
    this.next = next;
    this.changed = changed;
  }

  /** Any thread: records that have not begun are left to the next consumer of the partition. */
  boolean isRevoked() {
    return revoked;
  }

  /** The partition is, or will be, another consumer's. */
  void revoke() {
    revoked = true;
  }

  boolean isDone(long offset) {
    return doneBefore.contains(offset);
  }

  /** Whether a record has been received before: the partition was reset to an earlier offset. */
  boolean isBehind(long offset) {
    return next >= 0 && offset < next;
  }

  /** A record has been received, which has to be handled. */
  void add(PendingRecord record) {
    records.addLast(record);
    next = record.offset + 1;
    changed = true;
  }

  /** A record has been received that is {@linkplain #isDone done} already. */
  void skip(long offset) {
    next = offset + 1;
    changed = true;
  }

  /** All records before an offset have been received; it may be beyond the last of them. */
  void received(OffsetAndMetadata position) {
    if (position.offset() > next) {
      next = position.offset();
    }
    epoch = position.leaderEpoch().orElse(-1);
    changed = true;
  }

  /** One of its records is done. */
  void done() {
    changed = true;
    trim();
  }

  private void trim() {
    for (PendingRecord first = records.peekFirst();
        first != null && first.state() == PendingRecord.DONE;
        first = records.peekFirst()) {
      records.removeFirst();
    }
  }

  /** Records from the first that is not done. */
  int size() {
    return records.size();
  }

  /** When the first that is not done was received; 0: all are. */
  long oldest() {
    PendingRecord first = records.peekFirst();
    return first == null ? 0 : first.since;
  }

  /** Whether a handler runs, or what it has returned is not complete yet. */
  boolean hasRunning() {
    return records.stream().anyMatch(record -> record.state() == PendingRecord.RUNNING);
  }

  // ---- Commits

  boolean hasChanged() {
    return changed && next >= 0;
  }

  /** Whether there is anything to commit, if it is that of the last commit. */
  boolean hasBegun() {
    return next >= 0;
  }

  /** What is to be committed; the partition counts as unchanged since. */
  OffsetAndMetadata take(boolean withMetadata) {
    changed = false;
    trim(); // what is done and has not come back yet
    PendingRecord first = records.peekFirst();
    long base = first == null ? next : first.offset;
    DoneRuns done = new DoneRuns();
    for (PendingRecord record : records) {
      if (record.state() == PendingRecord.DONE) {
        done.add(record.offset, record.offset + 1);
      }
    }
    doneBefore = doneBefore.from(base);
    // The epoch is that of what was received last; a lower offset may be of an earlier one.
    Optional<Integer> leader = first == null && epoch >= 0 ? Optional.of(epoch) : Optional.empty();
    return new OffsetAndMetadata(
        base, leader, withMetadata ? done.and(doneBefore).encode(base) : "");
  }

  /** It was not committed. */
  void giveBack() {
    changed = true;
  }

  @Override
  public String toString() {
    return partition + " from " + records.peekFirst() + " to " + next;
  }
}

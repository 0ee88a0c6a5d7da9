package dev.mely.kafka;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * What a consumer has done, and what is pending: a snapshot, some tenths of a second old at most
 * while the consumer polls, and older while it waits for handlers at a rebalance or at its end.
 *
 * @param records that have been handled, or sent to the dead-letter topic
 * @param skipped records that were received again and known to be done
 * @param retries attempts after the first of a record
 * @param deadLetters records in the dead-letter topic
 * @param commits that have succeeded
 * @param failedCommits those that have not; their offsets are committed later
 * @param pending records that have been received and have not been handled
 * @param pendingBytes of their keys and values
 * @param liveKeys different keys of these, each record without a key counted
 * @param oldest how long ago the oldest record was received that holds up a commit; zero: none
 * @param partitions those that are assigned
 */
@SuppressWarnings("exports") // a program that calls it has Kafka's clients
public record Progress(
    long records,
    long skipped,
    long retries,
    long deadLetters,
    long commits,
    long failedCommits,
    long pending,
    long pendingBytes,
    int liveKeys,
    Duration oldest,
    Map<TopicPartition, Partition> partitions) {

  /** Makes a snapshot; the map is not copied. */
  public Progress {
    Objects.requireNonNull(oldest, "oldest");
    Objects.requireNonNull(partitions, "partitions");
  }

  /**
   * One partition.
   *
   * @param lag records that are in the topic and have not been received; -1: not known yet
   * @param pending records from the first that is not done
   * @param paused whether it is not fetched, since too much is pending
   */
  public record Partition(long lag, int pending, boolean paused) {}

  /**
   * Returns the lag of all partitions that are assigned.
   *
   * @return records that are in them and have not been received, as far as it is known
   */
  public long lag() {
    return partitions.values().stream().mapToLong(p -> Math.max(0, p.lag)).sum();
  }

  /**
   * Returns a line for people.
   *
   * @return its form may change
   */
  @Override
  public String toString() {
    String line =
        String.format(
            Locale.ROOT,
            "%,d records done, %,d pending of %,d keys, oldest %.1f s, %d partitions, lag %,d,"
                + " %,d commits",
            records,
            pending,
            liveKeys,
            oldest.toMillis() / 1e3,
            partitions.size(),
            lag(),
            commits);
    return line
        + more(retries, "retries")
        + more(deadLetters, "dead letters")
        + more(failedCommits, "failed commits");
  }

  private static String more(long count, String what) {
    return count == 0 ? "" : String.format(Locale.ROOT, ", %,d %s", count, what);
  }
}

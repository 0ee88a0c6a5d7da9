package dev.mely.netty.memory;

/** What tests of whole groups ask the read queues of a working set. */
public final class ReadQueues {
  private ReadQueues() {}

  /** How many cores have delayed a read so far. */
  public static int count(WorkingSet set) {
    return set.readQueues().size();
  }

  /** How many reads wait. */
  public static int waiting(WorkingSet set) {
    return set.readQueues().stream().mapToInt(ReadQueue::waiting).sum();
  }

  /** How many reads were forced. */
  public static long forcedReads(WorkingSet set) {
    return set.readQueues().stream().mapToLong(ReadQueue::forcedReads).sum();
  }

  /** Sets the milliseconds until the first forced read, for queues that are made later. */
  public static void patience(WorkingSet set, int millis) {
    set.patience(millis);
  }
}

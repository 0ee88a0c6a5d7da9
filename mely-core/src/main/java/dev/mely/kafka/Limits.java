package dev.mely.kafka;

/**
 * Back-pressure: how much may be pending before partitions are paused. What a poll returns is taken
 * in any case. A partition is fetched again when half of it is done (hysteresis).
 *
 * @param records in all
 * @param bytes in all, of keys and values as they were sent
 * @param partition records of one partition from the first that is not done
 * @param key records of one key
 */
record Limits(int records, long bytes, int partition, int key) {
  /** Whether too much is pending in all. */
  boolean isFull(boolean before, long pending, long pendingBytes) {
    return isAbove(before, pending, records) || isAbove(before, pendingBytes, bytes);
  }

  /** Whether a partition has to be paused for what is pending in it. */
  void look(PartitionOffsets partitionOffsets) {
    partitionOffsets.full = isAbove(partitionOffsets.full, partitionOffsets.size(), partition);
    LiveKey heldBack = partitionOffsets.heldBack;
    if (heldBack != null && !isAbove(true, heldBack.pending, key)) {
      partitionOffsets.heldBack = null;
    }
  }

  /** Whether no more records of a key should come. */
  boolean isFull(LiveKey liveKey) {
    return liveKey.pending >= key;
  }

  private static boolean isAbove(boolean before, long now, long most) {
    return before ? now > most / 2 : now >= most;
  }
}

package dev.mely.examples.kafka;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The records of a topic: for each, which one of its key comes before it. Not thread-safe. */
final class KeyOrder {
  private final int[][] previous;
  private final int[] sizes;
  private final Map<Integer, Integer> last = new HashMap<>();

  KeyOrder(int partitions) {
    previous = new int[partitions][16];
    sizes = new int[partitions];
  }

  /** Adds the next record of a partition; a key's records are in one. */
  void add(int partition, int key) {
    int offset = sizes[partition]++;
    if (offset == previous[partition].length) {
      previous[partition] = Arrays.copyOf(previous[partition], 2 * offset);
    }
    Integer before = last.put(key, offset);
    previous[partition][offset] = before == null ? -1 : before;
  }

  int partitions() {
    return sizes.length;
  }

  int size(int partition) {
    return sizes[partition];
  }

  int size() {
    return Arrays.stream(sizes).sum();
  }

  /** The offset of the record of the same key before this; -1: it is the key's first. */
  int previous(int partition, int offset) {
    return previous[partition][offset];
  }
}

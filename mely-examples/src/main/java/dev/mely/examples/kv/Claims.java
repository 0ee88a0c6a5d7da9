package dev.mely.examples.kv;

/**
 * What a command asks for, as it is collected key by key. Not thread-safe; one for each connection,
 * used again and again.
 */
final class Claims {
  private final Store store;
  private long reads;
  private long writes;
  private long topics;

  /** A read may take long, so that it should leave room for others that read. */
  private boolean lasting;

  Claims(Store store) {
    this.store = store;
  }

  Claims clear() {
    reads = 0;
    writes = 0;
    topics = 0;
    lasting = false;
    return this;
  }

  void read(byte[] key) {
    reads |= 1L << store.of(store.hash(key)).index;
  }

  void write(byte[] key) {
    writes |= 1L << store.of(store.hash(key)).index;
  }

  void write(Partition partition) {
    writes |= 1L << partition.index;
  }

  void lasting() {
    lasting = true;
  }

  void readAll() {
    reads |= store.all();
  }

  void writeAll() {
    writes |= store.all();
  }

  void topic(byte[] channel) {
    topics |= 1L << store.topics().of(channel).index;
  }

  void allTopics() {
    topics |= store.topics().all();
  }

  /** The place that has all of it. */
  Place place() {
    if (topics == 0) {
      long all = reads | writes;
      if (all == 0) {
        return Place.NOWHERE;
      }
      if (Long.bitCount(all) == 1) {
        int index = Long.numberOfTrailingZeros(all);
        // To read needs a grant, which takes longer than what most commands do.
        return writes != 0 || !lasting ? store.alone(index) : store.shared(index);
      }
    } else if ((reads | writes) == 0 && Long.bitCount(topics) == 1) {
      return store.topics().alone(Long.numberOfTrailingZeros(topics));
    }
    return Place.of(store.topics().write(store.read(store.write(writes), reads & ~writes), topics));
  }
}

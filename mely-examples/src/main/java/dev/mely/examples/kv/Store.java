package dev.mely.examples.kv;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All keys, in partitions, each a color. Thread-safe; what is in a partition belongs to its color.
 */
final class Store {
  /** How many partitions there are if nobody says otherwise: a power of two. */
  static final int PARTITIONS = 64;

  private final SipHash hash;
  private final int shift;
  private final Partition[] partitions;
  private final Place[] alone;
  private final Place[] shared;
  private final LongSupplier clock;
  private final Topics topics;
  private final int longestString;

  final LongAdder commands = new LongAdder();
  final LongAdder expired = new LongAdder();

  /** Set before the first connection is served; null: nothing is kept. */
  private @Nullable AppendLog log;

  /**
   * Makes an empty one.
   *
   * @param count of partitions, a power of two, 2 to 64
   * @param hash says which key belongs where
   * @param clock says the milliseconds since the epoch
   * @param longestString how many bytes a string may have
   */
  Store(Mely mely, int count, SipHash hash, LongSupplier clock, int longestString) {
    if (Integer.bitCount(count) != 1 || count < 2 || count > PARTITIONS) {
      throw new IllegalArgumentException("partitions must be a power of two, 2 to 64: " + count);
    }
    this.hash = hash;
    this.clock = clock;
    this.longestString = longestString;
    shift = Long.SIZE - Integer.numberOfTrailingZeros(count);
    partitions = new Partition[count];
    alone = new Place[count];
    shared = new Place[count];
    for (int i = 0; i < count; i++) {
      Color color = mely.newColor();
      partitions[i] = new Partition(i, color);
      shared[i] = Place.of(Permissions.read(color));
      alone[i] = Place.of(color, shared[i]);
    }
    topics = new Topics(mely);
  }

  long hash(byte[] key) {
    return hash.hash(key);
  }

  /** The partition of what has this hash. */
  Partition of(long keyHash) {
    return partitions[(int) (keyHash >>> shift)];
  }

  Partition partition(int index) {
    return partitions[index];
  }

  int partitions() {
    return partitions.length;
  }

  int longestString() {
    return longestString;
  }

  Topics topics() {
    return topics;
  }

  @Nullable AppendLog log() {
    return log;
  }

  void log(AppendLog kept) {
    log = kept;
  }

  long now() {
    return clock.getAsLong();
  }

  // ---- Places

  /** The bits of all partitions. */
  long all() {
    return -1L >>> (Long.SIZE - partitions.length);
  }

  /** A partition, alone. */
  Place alone(int index) {
    return alone[index];
  }

  /** A partition, with others that only read it. */
  Place shared(int index) {
    return shared[index];
  }

  Permissions write(long bits) {
    return Permissions.write(colors(bits));
  }

  Permissions read(Permissions more, long bits) {
    return more.andRead(colors(bits));
  }

  private Color[] colors(long bits) {
    Color[] colors = new Color[Long.bitCount(bits)];
    long left = bits;
    for (int i = 0; i < colors.length; i++) {
      colors[i] = partitions[Long.numberOfTrailingZeros(left)].color;
      left &= left - 1;
    }
    return colors;
  }
}

package dev.mely.bench.sim;

/**
 * A piece of data that events access as a whole, and its place: in the inner cache of one core, in
 * a shared cache, or in memory. Caches evict in FIFO order.
 */
final class Block {
  final int bytes;

  /** The core whose inner cache had it last, and how many bytes had been filled into it then. */
  int inner = -1;

  long innerFill;

  /** The same for the cache that cores share. */
  int shared = -1;

  long sharedFill;

  Block(int bytes) {
    this.bytes = bytes;
  }
}

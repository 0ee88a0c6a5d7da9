package dev.mely.bench.sim;

/**
 * A piece of data that events touch as a whole, and where it lies: in the inner cache of one core,
 * in a cache that some cores share, or in memory. Caches forget what was filled in first, when that
 * is more than they hold.
 */
final class Block {
  final int bytes;

  /** The core whose inner cache had it last, and how much had been filled into that cache then. */
  int inner = -1;

  long innerFill;

  /** The same for the cache that cores share. */
  int shared = -1;

  long sharedFill;

  Block(int bytes) {
    this.bytes = bytes;
  }
}

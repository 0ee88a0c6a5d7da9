package dev.mely.topology;

import java.util.BitSet;

/**
 * One data or unified cache: the same object in every {@link Cpu} that has it, so that sharing is
 * identity. The reader fills in the CPUs; from then on nothing changes.
 */
final class Cache {
  /** From 1. */
  final int level;

  /** Capacity in bytes, -1 if unknown. */
  final long bytes;

  /** The CPUs that have said that this is theirs. */
  final BitSet cpus = new BitSet();

  Cache(int level, long bytes) {
    this.level = level;
    this.bytes = bytes;
  }
}

package dev.mely.bench.sim;

/**
 * A cache line, or a few that always move together, and the cores that have it. One core may write
 * it, or several may read it; other cores wait for its transfer, and a line has only one transfer
 * at a time.
 */
final class Line {
  private static final int NONE = -1;

  private final Machine machine;

  /** The core that wrote it last. */
  private int owner = NONE;

  /** Cores with a copy, other than the owner, one bit each; more than 128 cores share bits. */
  private long low;

  private long high;

  /** The end of the last transfer. */
  private long freeAt;

  Line(Machine machine) {
    this.machine = machine;
  }

  /** The current core reads. */
  void read() {
    int core = machine.current();
    if (core == Machine.OUTSIDE || isAt(core)) {
      return;
    }
    if (owner != NONE) {
      move(owner, core);
    } else {
      owner = core;
      return;
    }
    add(core);
  }

  /**
   * The current core writes. Returns whether the line had to be fetched from, or invalidated in,
   * other cores.
   */
  boolean write() {
    int core = machine.current();
    if (core == Machine.OUTSIDE || (core == owner && low == 0 && high == 0)) {
      return false;
    }
    boolean moves = owner != NONE;
    if (moves) {
      move(core == owner ? anyReader() : owner, core);
    }
    owner = core;
    low = 0;
    high = 0;
    return moves;
  }

  /** Whether a core may read it without waiting. */
  boolean isAt(int core) {
    return core == owner || has(core);
  }

  /** The core that wrote it last; -1 if none has. */
  int owner() {
    return owner;
  }

  private void move(int from, int to) {
    long start = machine.clock().now();
    machine.clock().await(freeAt);
    machine.transfer(from, to);
    freeAt = machine.clock().now();
    machine.waitedForLine(to, freeAt - start);
  }

  private boolean has(int core) {
    return ((core < 64 ? low : high) >>> core & 1) != 0;
  }

  private void add(int core) {
    if (core < 64) {
      low |= 1L << core;
    } else {
      high |= 1L << core;
    }
  }

  private int anyReader() {
    return low != 0 ? Long.numberOfTrailingZeros(low) : 64 + Long.numberOfTrailingZeros(high);
  }
}

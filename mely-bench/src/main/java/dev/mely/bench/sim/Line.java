package dev.mely.bench.sim;

/**
 * A cache line, or a few that always move together: who has it. One core may write it, or several
 * may read it; who lacks it waits for it to come, and only one transfer of a line goes on at a
 * time.
 */
final class Line {
  private static final int NOBODY = -1;

  private final Machine machine;

  /** Whoever wrote it last. */
  private int owner = NOBODY;

  /** Who has a copy beside the owner, a bit each; more than 128 cores share the bits. */
  private long low;

  private long high;

  /** When the last transfer is over. */
  private long freeAt;

  Line(Machine machine) {
    this.machine = machine;
  }

  /** The acting core reads. */
  void read() {
    int core = machine.current();
    if (core == Machine.OUTSIDE || isAt(core)) {
      return;
    }
    if (owner != NOBODY) {
      move(owner, core);
    } else {
      owner = core;
      return;
    }
    add(core);
  }

  /**
   * The acting core writes. Returns whether the line had to come from, or be taken from, others.
   */
  boolean write() {
    int core = machine.current();
    if (core == Machine.OUTSIDE || (core == owner && low == 0 && high == 0)) {
      return false;
    }
    boolean moves = owner != NOBODY;
    if (moves) {
      move(core == owner ? anyReader() : owner, core);
    }
    owner = core;
    low = 0;
    high = 0;
    return moves;
  }

  /** Whether that core may read it without waiting. */
  boolean isAt(int core) {
    return core == owner || has(core);
  }

  /** Who wrote it last; -1: nobody has. */
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

package dev.mely.netty.memory;

import dev.mely.Mely;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The bound of a group's live buffers, per core: the gates at which reads wait while a core has too
 * many.
 *
 * <p>Counted is what a core's thread has allocated, in its slab or beside it, until it is freed, by
 * whomever. A read is admitted while that is less than the bound; how much it then takes is up to
 * the channel and its handlers. So a core exceeds the bound by what <em>one</em> event of a channel
 * allocates, by what is allocated elsewhere than in reads, and by what {@link ReadGate} lets
 * through in the course of time.
 *
 * <p>Complete when the runtime has been started. Thread-safe from then on.
 */
public final class WorkingSet {
  private final long bound;
  private final Slabs slabs;

  /** By core; null until the core has put off its first read. Each is made by its core. */
  private final AtomicReferenceArray<ReadGate> gates;

  @SuppressWarnings("NullAway.Init")
  private Mely mely;

  /** Of the gates to come; tests change it. */
  private volatile int patience = ReadGate.MIN_PATIENCE;

  /**
   * @param slabs what counts
   * @param bound bytes of each core, 1 or more
   */
  public WorkingSet(Slabs slabs, long bound, int cores) {
    this.slabs = slabs;
    this.bound = bound;
    this.gates = new AtomicReferenceArray<>(cores);
  }

  /** The runtime has been started. */
  public void attach(Mely newMely) {
    mely = newMely;
  }

  /** For tests: how long the first in line waits, in milliseconds. */
  void patience(int millis) {
    patience = millis;
  }

  // ---- A worker, on its own core

  /** Whether the core may read. */
  public boolean hasRoom() {
    CoreMemory memory = slabs.current();
    return memory == null || memory.liveBytes() < bound;
  }

  /** The gate of the core that has no room. */
  public ReadGate gate() {
    int core = mely.inspect().currentCore();
    ReadGate gate = gates.get(core);
    if (gate == null) {
      CoreMemory memory = slabs.current();
      if (memory == null) {
        throw new IllegalStateException("there is room, as this thread is no worker's");
      }
      gate = new ReadGate(mely, mely.newColor(core), memory, bound, patience);
      gates.set(core, gate);
      memory.listener(gate);
    }
    return gate;
  }

  /** Those that have put off a read so far. For tests and people. */
  List<ReadGate> gates() {
    List<ReadGate> made = new ArrayList<>();
    for (int core = 0; core < gates.length(); core++) {
      ReadGate gate = gates.get(core);
      if (gate != null) {
        made.add(gate);
      }
    }
    return made;
  }
}

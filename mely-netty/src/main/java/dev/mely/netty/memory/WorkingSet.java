package dev.mely.netty.memory;

import dev.mely.Mely;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The bound of a group's live buffers, per core, and the queues in which reads wait while a core
 * has too many.
 *
 * <p>What a core's thread has allocated, from its slab or the fallback, counts until it is freed,
 * by any thread. A read is admitted while that is less than the bound; how much it then allocates
 * is up to the channel and its handlers. So a core exceeds the bound by what <em>one</em> event of
 * a channel allocates, by what is allocated outside of reads, and by the reads that {@link
 * ReadQueue} forces in the course of time.
 *
 * <p>Complete when the runtime has been started. Thread-safe from then on.
 */
public final class WorkingSet {
  private final long bound;
  private final Slabs slabs;

  /** By core; null until the core has delayed its first read. Each is made by its core. */
  private final AtomicReferenceArray<ReadQueue> readQueues;

  @SuppressWarnings("NullAway.Init")
  private Mely mely;

  /** Of queues that are made later; tests change it. */
  private volatile int patience = ReadQueue.MIN_PATIENCE;

  /**
   * @param slabs whose buffers count
   * @param bound bytes of each core, 1 or more
   */
  public WorkingSet(Slabs slabs, long bound, int cores) {
    this.slabs = slabs;
    this.bound = bound;
    this.readQueues = new AtomicReferenceArray<>(cores);
  }

  /** The runtime has been started. */
  public void attach(Mely newMely) {
    mely = newMely;
  }

  /** For tests: milliseconds until the first forced read. */
  void patience(int millis) {
    patience = millis;
  }

  // ---- A worker, on its own core

  /** Whether the core is below the bound. */
  public boolean hasRoom() {
    CoreMemory memory = slabs.current();
    return memory == null || memory.liveBytes() < bound;
  }

  /** The queue of this core, which has no room. */
  public ReadQueue readQueue() {
    int core = mely.inspect().currentCore();
    ReadQueue queue = readQueues.get(core);
    if (queue == null) {
      CoreMemory memory = slabs.current();
      if (memory == null) {
        throw new IllegalStateException("there is room, as this thread is no worker's");
      }
      queue = new ReadQueue(mely, mely.newColor(core), memory, bound, patience);
      readQueues.set(core, queue);
      memory.listener(queue);
    }
    return queue;
  }

  /** The queues of the cores that have delayed a read so far. For tests. */
  List<ReadQueue> readQueues() {
    List<ReadQueue> made = new ArrayList<>();
    for (int core = 0; core < readQueues.length(); core++) {
      ReadQueue queue = readQueues.get(core);
      if (queue != null) {
        made.add(queue);
      }
    }
    return made;
  }
}

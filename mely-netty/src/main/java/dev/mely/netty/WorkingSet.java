package dev.mely.netty;

import dev.mely.Mely;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The bound of a group's live buffers, per core: the allocator that counts them, and the gates at
 * which reads wait while a core has too many.
 *
 * <p>Counted is what a core's thread has allocated, in its slab or beside it, until it is freed, by
 * whomever. A read is admitted while that is less than the bound; how much it then takes is up to
 * the channel and its handlers. So a core exceeds the bound by what <em>one</em> event of a channel
 * allocates, by what is allocated elsewhere than in reads, and by what {@link ReadGate} lets
 * through in the course of time.
 *
 * <p>Complete when the runtime has been started. Thread-safe from then on.
 */
final class WorkingSet {
  private final long bound;
  private final StingyAllocator allocator;

  /** By core; null until the core has put off its first read. Each is made by its core. */
  private final AtomicReferenceArray<ReadGate> gates;

  @SuppressWarnings("NullAway.Init")
  private Mely mely;

  /** Of the gates to come; tests change it. */
  private volatile int patience = ReadGate.MIN_PATIENCE;

  /**
   * @param bound bytes of each core, 1 or more
   */
  WorkingSet(long bound, int cores) {
    this.bound = bound;
    this.allocator =
        new StingyAllocator((int) Math.min(bound, StingyAllocator.defaultWorkingSet()));
    this.gates = new AtomicReferenceArray<>(cores);
  }

  /** The runtime has been started. */
  void attach(Mely newMely) {
    mely = newMely;
  }

  /** For tests: how long the first in line waits, in milliseconds. */
  void patience(int millis) {
    patience = millis;
  }

  StingyAllocator allocator() {
    return allocator;
  }

  /** Lets a channel's buffers be counted, unless somebody has chosen another allocator for it. */
  void adopt(Channel channel) {
    if (channel.config().getAllocator() == ByteBufAllocator.DEFAULT) {
      channel.config().setAllocator(allocator);
    }
  }

  // ---- A worker, on its own core

  /** Whether the core may read. */
  boolean hasRoom() {
    CoreMemory memory = allocator.current();
    return memory == null || memory.liveBytes() < bound;
  }

  /** The gate of the core that has no room. */
  ReadGate gate() {
    int core = mely.currentCore();
    ReadGate gate = gates.get(core);
    if (gate == null) {
      CoreMemory memory = allocator.current();
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

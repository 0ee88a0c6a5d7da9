package dev.mely.bench.baseline;

import dev.mely.bench.baseline.Crew.MemberThread;
import dev.mely.jit.OwnCompilation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What this machine can do at best: a plain {@link Ring} per core, no colors, no stealing, and work
 * that is split evenly between the cores before it begins. A color is nothing but a core's ring, so
 * its jobs run one at a time and in order with nothing to be kept per color.
 *
 * <p>It is no runtime: where the split is wrong, nothing mends it.
 */
public final class CeilingContestant extends Peer<Ring> {
  private static final int SPINS = 10_000;

  /** How often a worker that spins offers its CPU: to a producer without one of its own. */
  private static final int YIELD = 16;

  private static final long NAP_NANOS = 50_000;

  private final List<MemberThread> threads = new ArrayList<>();
  private final List<Ring> rings = new ArrayList<>();

  /** Work that each core has been given. Only the thread that prepares a benchmark. */
  private final long[] placed;

  private volatile boolean ending;

  /**
   * Starts the workers.
   *
   * @param cores number of workers, 1 or more
   * @param pinned whether each has a CPU of its own
   */
  public CeilingContestant(int cores, boolean pinned) {
    super(cores, pinned);
    placed = new long[cores];
    for (int i = 0; i < cores; i++) {
      int core = i;
      MemberThread thread = crew.newThread(() -> loop(core), "ceiling-" + core);
      threads.add(thread);
      rings.add(new Ring(thread));
    }
    threads.forEach(Thread::start);
  }

  private void loop(int core) {
    crew.pinThisThread(core);
    Ring ring = rings.get(core);
    int idle = 0;
    while (!ending) {
      idle = turn(ring, idle);
    }
  }

  /**
   * Apart from the loop, which never ends, as in Mely's own worker: see {@link OwnCompilation}.
   *
   * @param idle how often it has looked in vain
   * @return the same, after this turn
   */
  @SuppressWarnings("ThreadPriorityCheck") // yield: see YIELD
  @OwnCompilation
  private int turn(Ring ring, int idle) {
    if (ring.runTurn()) {
      return 0;
    }
    int looks = idle + 1;
    if (looks >= SPINS) {
      LockSupport.parkNanos(this, NAP_NANOS);
    } else if (looks % YIELD == 0) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
    return looks;
  }

  /** The core that has been given the least so far. */
  @Override
  public int place(int core, long work) {
    int least = 0;
    for (int i = 1; i < placed.length; i++) {
      if (placed[i] < placed[least]) {
        least = i;
      }
    }
    placed[least] += work;
    return least;
  }

  /**
   * Tells how work has been split.
   *
   * @param core from 0
   * @return the sum of what {@link #place} has sent there
   */
  public long placed(int core) {
    return placed[core];
  }

  @Override
  public Ring newColor(int core) {
    return rings.get(core);
  }

  @Override
  public void register(Ring color, Job job) {
    color.add(job);
  }

  @Override
  public void close() {
    ending = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}

package dev.mely.bench.baseline;

import dev.mely.bench.baseline.Crew.MemberThread;
import dev.mely.jit.OwnCompilation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The maximum for this machine: a plain {@link Ring} per core, no colors, no stealing, and work
 * split evenly between the cores beforehand. A color is just a core's ring, so its jobs run one at
 * a time and in order without any state per color.
 *
 * <p>It is not a runtime: it cannot correct an uneven split.
 */
public final class CeilingContestant extends Peer<Ring> {
  private static final int SPINS = 10_000;

  /** Number of spins between two yields, for a producer that has no CPU of its own. */
  private static final int YIELD = 16;

  private static final long NAP_NANOS = 50_000;

  private final List<MemberThread> threads = new ArrayList<>();
  private final List<Ring> rings = new ArrayList<>();

  /** Work assigned to each core. Only the thread that prepares a benchmark. */
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
   * Apart from the endless loop, as in Mely's own worker: see {@link OwnCompilation}.
   *
   * @param idle number of failed searches
   * @return the number after this turn
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

  /** The core with the least work so far. */
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
   * Returns the work of a core.
   *
   * @param core from 0
   * @return the sum of the work placed there by {@link #place}
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

package dev.mely;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * An actor of a {@link Schedule} that can be stopped inside a step, at each access to what others
 * may change at the same time: before it, another actor may have its turn. A thread of its own, but
 * only one thread runs at any moment, and the seed decides which.
 *
 * <p>The runtime knows nothing of this: {@link SteppingLoader} puts the calls of the static methods
 * below into its classes as they are loaded.
 */
final class Strand implements SimActor, Runnable {
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "strand");
            thread.setDaemon(true);
            return thread;
          });

  private static final Error ABANDONED = new Error("the schedule is over");

  /** Whose turn it is; null: that of the schedule itself. */
  private static @Nullable Strand current;

  /** What all strands of a schedule share. */
  static final class World {
    final SplittableRandom random;
    final List<Strand> strands = new ArrayList<>();
    final Map<Object, Strand> owners = new IdentityHashMap<>();

    /** One access in so many is one to stop at. */
    final int stopEvery;

    World(long seed) {
      random = new SplittableRandom(seed * 31 + 7);
      stopEvery = 1 << random.nextInt(6);
    }

    /** Lets the threads end. */
    void end() {
      for (Strand strand : strands) {
        strand.abandon();
      }
    }
  }

  private final World world;
  private final SimActor actor;
  private final SimHost host;
  private final Semaphore go = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private boolean started;
  private boolean inStep;
  private boolean abandoned;

  /** Which core it is, see {@link SimHost#enter}. */
  private int core = -1;

  /** The monitor that it waits to enter. */
  private @Nullable Object wants;

  /** The monitor that it waits to be notified on. */
  private @Nullable Object waitsOn;

  /** What runs it, and whether that has been unparked. */
  private @Nullable Thread thread;

  private boolean permit;

  private @Nullable Throwable failure;

  Strand(World world, SimActor actor, SimHost host) {
    this.world = world;
    this.actor = actor;
    this.host = host;
    world.strands.add(this);
  }

  // ---- The schedule's side

  /** Whether it has stopped inside a step. */
  boolean isInStep() {
    return inStep;
  }

  @Override
  public boolean isReady() {
    if (!inStep) {
      return actor.isReady();
    }
    return waitsOn == null && (wants == null || !world.owners.containsKey(wants));
  }

  /** Goes on to the next stop, or to the end of the actor's step. */
  @Override
  public void step() {
    inStep = true;
    if (!started) {
      started = true;
      THREADS.execute(this);
    }
    turn();
    Throwable t = failure;
    failure = null;
    if (t instanceof Error e) {
      throw e;
    } else if (t instanceof RuntimeException e) {
      throw e;
    }
  }

  private void turn() {
    current = this;
    host.enter(core);
    go.release();
    back.acquireUninterruptibly();
    core = host.leave();
    current = null;
  }

  private void abandon() {
    abandoned = true;
    if (started) {
      turn();
    }
  }

  // ---- The strand's side

  @Override
  public void run() {
    thread = Thread.currentThread();
    go.acquireUninterruptibly();
    while (!abandoned) {
      try {
        actor.step();
      } catch (Throwable t) {
        failure = t;
      }
      inStep = false;
      if (!abandoned) {
        handOver();
      }
    }
    failure = null;
    back.release();
  }

  private void handOver() {
    back.release();
    go.acquireUninterruptibly();
  }

  private void stop() {
    if (!abandoned) {
      handOver();
    }
    if (abandoned) {
      throw ABANDONED;
    }
  }

  // ---- Called by the runtime's classes

  /** Something follows that others may see, or may have changed. */
  static void point() {
    Strand strand = current;
    if (strand != null
        && (strand.abandoned || strand.world.random.nextInt(strand.world.stopEvery) == 0)) {
      strand.stop();
    }
  }

  /** Before an {@link AtomicAccess} that is looked at, or between its pieces. */
  static void between() {
    Strand strand = current;
    if (strand != null && (strand.abandoned || strand.world.random.nextBoolean())) {
      strand.stop();
    }
  }

  /** In place of {@link Thread#onSpinWait}: somebody else has to go on. */
  static void spin() {
    Strand strand = current;
    if (strand != null) {
      strand.stop();
    }
  }

  /**
   * In place of the beginning of a synchronized method or block; none has another of its own
   * inside.
   */
  static void enter(Object monitor) {
    Strand strand = current;
    if (strand == null) {
      return;
    }
    point();
    strand.own(monitor);
  }

  private void own(Object monitor) {
    while (world.owners.containsKey(monitor)) {
      wants = monitor;
      stop();
    }
    wants = null;
    world.owners.put(monitor, this);
  }

  /** In place of its end. */
  static void exit(Object monitor) {
    Strand strand = current;
    if (strand != null) {
      strand.world.owners.remove(monitor, strand);
    }
  }

  /** In place of {@link Object#wait()}. */
  static void await(Object monitor) {
    Strand strand = current;
    if (strand == null) {
      throw new AssertionError("nobody would ever wake the schedule");
    }
    exit(monitor);
    strand.waitsOn = monitor;
    strand.stop();
    strand.own(monitor);
  }

  /** In place of {@link Object#notifyAll()}. */
  static void wakeAll(Object monitor) {
    Strand strand = current;
    if (strand != null) {
      for (Strand other : strand.world.strands) {
        if (other.waitsOn == monitor) {
          other.waitsOn = null;
          other.wants = monitor;
        }
      }
    }
  }

  /** In place of {@link java.util.concurrent.locks.LockSupport#park(Object)}. */
  static void park(Object blocker) {
    Strand strand = current;
    if (strand == null) {
      throw new AssertionError("nobody would ever wake the schedule");
    }
    if (!strand.permit) {
      strand.waitsOn = strand;
      strand.stop();
    }
    strand.permit = false;
  }

  /** In place of {@link java.util.concurrent.locks.LockSupport#unpark}. */
  static void unpark(Thread thread) {
    Strand strand = current;
    if (strand != null) {
      for (Strand other : strand.world.strands) {
        if (other.thread == thread) {
          other.permit = true;
          other.waitsOn = other.waitsOn == other ? null : other.waitsOn;
        }
      }
    }
  }
}

package dev.mely.netty.memory;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Where the channels stand whose reads a core has put off, because its live buffers have reached
 * the bound: a line, first come, first served.
 *
 * <pre>
 *         the first: set the timer         freed, and there is room: post a pass
 *   OPEN -------------------------> WAITING ----------------------------------> CALLED
 *     ^                              |   ^                                       |
 *     +--- timer: nobody in line ----+   +------- pass: tries the next few ------+
 * </pre>
 *
 * <p>Whoever frees a buffer looks at the state; so does whoever comes into line, afterwards. With a
 * full fence on both sides one of them sees the other, and a pass is posted: no wake-up is lost,
 * whichever thread frees. While nobody waits, to free costs that look and nothing else.
 *
 * <p>A pass tries as many as may have been waiting for the room, no more: a channel that finds none
 * left is back in line, at its head. When one of them has read and there is still room, the next
 * pass follows.
 *
 * <p>Ageing: as long as somebody waits there is one timer. Each time it finds no room, the head of
 * the line reads regardless, and the time until the next one doubles, from {@value #MIN_PATIENCE}
 * to {@value #MAX_PATIENCE} milliseconds; room resets it. So the n-th in line reads after n times
 * the longest patience at the latest, whatever happens, and a core that waits is asleep. The one
 * that was let through keeps that favor until the next one has it: what it has begun to read may be
 * what frees the memory in the end. See {@code Reads} for who does not deserve it.
 *
 * <p>The line and the state are anybody's; passes and the timer run in the gate's own color, which
 * any core may take over if this one is stuck. Source: Stingy Allocator (ISMM'06), section 3.2, in
 * which the scheduler asks before it runs a stage that allocates.
 */
public final class ReadGate implements Runnable {
  /** Somebody who has been put off. */
  public interface Waiter {
    /** There is nothing left to be read. Any thread. */
    boolean isOver();

    /**
     * May try again. Any thread.
     *
     * @param regardless whether it may read even if there is no room
     * @throws RejectedExecutionException if the group ends
     */
    void tryAgain(boolean regardless);
  }

  /** Milliseconds until the first in line reads regardless. */
  static final int MIN_PATIENCE = 10;

  /** Milliseconds between two that read regardless, at most. */
  static final int MAX_PATIENCE = 640;

  /** How many are tried at once when there is room. */
  private static final int BATCH = 8;

  private static final int OPEN = 0;
  private static final int WAITING = 1;
  private static final int CALLED = 2;

  private static final Handler<Call> PASS = new Pass();
  private static final Handler<ReadGate> AGE = Handler.of(ReadGate::age);

  private final Mely mely;
  private final Color color;
  private final CoreMemory memory;
  private final long bound;
  private final AtomicInteger state = new AtomicInteger(OPEN);
  private final Deque<Waiter> line = new ConcurrentLinkedDeque<>();

  /** Who read regardless last. Written in the color, read by anybody. */
  private volatile @Nullable Waiter favored;

  private final int minPatience;

  /** The color's: milliseconds. */
  private int patience;

  /** How often one has read although there was no room. */
  private final AtomicLong exceptions = new AtomicLong();

  /**
   * @param color of the gate alone
   * @param memory of the core
   * @param bound of live bytes
   * @param minPatience milliseconds, {@link #MIN_PATIENCE} but for tests
   */
  ReadGate(Mely mely, Color color, CoreMemory memory, long bound, int minPatience) {
    this.mely = mely;
    this.color = color;
    this.memory = memory;
    this.bound = bound;
    this.minPatience = minPatience;
    this.patience = minPatience;
  }

  // ---- Any thread

  boolean hasRoom() {
    return memory.liveBytes() < bound;
  }

  /** Whether it may go on although there is no room. */
  public boolean isFavored(Waiter waiter) {
    return favored == waiter;
  }

  /** How many wait, those included whose channel has gone. For tests and people: it counts. */
  int waiting() {
    return line.size();
  }

  /** How many have read although there was no room. */
  long exceptions() {
    return exceptions.get();
  }

  /**
   * Enters the line.
   *
   * @param first whether at its head: it has been there
   */
  public void putOff(Waiter waiter, boolean first) {
    if (first) {
      line.addFirst(waiter);
    } else {
      line.addLast(waiter);
    }
    if (state.compareAndSet(OPEN, WAITING)) {
      setTimer();
    }
    VarHandle.fullFence();
    run();
  }

  /** Something has been freed, or read: there may be room. */
  @Override
  public void run() {
    if (state.get() == WAITING && hasRoom() && state.compareAndSet(WAITING, CALLED)) {
      try {
        mely.register(color, PASS, new Call(this));
      } catch (RejectedExecutionException e) {
        state.set(WAITING); // the runtime ends
      }
    }
  }

  // ---- The gate's color

  private void pass() {
    state.set(WAITING); // first: what is freed from here on calls again
    favored = null;
    patience = minPatience;
    for (int i = 0; i < BATCH && hasRoom(); i++) {
      if (!tryNext(false)) {
        return;
      }
    }
  }

  /** Whoever frees next, or the timer, calls again if the runtime drops the event. */
  private static final class Pass extends Handler<Call> {
    @Override
    public void handle(Call call) {
      call.gate.pass();
    }

    @Override
    protected void rejected(Call call) {
      call.gate.state.set(WAITING);
    }
  }

  /** There is room in memory. Takes none among the pending events: there is one of them. */
  private static final class Call extends Event {
    final ReadGate gate;

    Call(ReadGate gate) {
      super(false);
      this.gate = gate;
    }
  }

  private void age() {
    if (line.isEmpty() && isOpenAgain()) {
      return;
    }
    try {
      if (hasRoom()) {
        pass();
      } else {
        patience = Math.min(2 * patience, MAX_PATIENCE);
        if (tryNext(true)) {
          exceptions.getAndIncrement();
        }
      }
    } finally {
      setTimer();
    }
  }

  /** Nobody waits any more. Whoever comes at this moment is seen, or sets the timer himself. */
  private boolean isOpenAgain() {
    return state.compareAndSet(WAITING, OPEN)
        && (line.isEmpty() || !state.compareAndSet(OPEN, WAITING));
  }

  private void setTimer() {
    try {
      mely.schedule(color, AGE, this, Duration.ofMillis(patience));
    } catch (RejectedExecutionException e) {
      // The runtime ends, and all channels with it.
    }
  }

  /** False: there is nobody, or he cannot be told now. */
  private boolean tryNext(boolean regardless) {
    Waiter next = line.pollFirst();
    while (next != null && next.isOver()) {
      next = line.pollFirst();
    }
    if (next == null) {
      return false;
    }
    if (regardless) {
      favored = next;
    }
    try {
      next.tryAgain(regardless);
      return true;
    } catch (RejectedExecutionException e) {
      line.addFirst(next);
      return false;
    } catch (Throwable t) {
      line.addFirst(next); // it would never read again
      throw t;
    }
  }
}

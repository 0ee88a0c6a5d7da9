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
 * The queue of channels whose reads a core has delayed, because its live buffers have reached the
 * bound. First come, first served.
 *
 * <pre>
 *          the first: set the timer         freed, and there is room: post a pass
 *   EMPTY ------------------------> WAITING ----------------------------------> CALLED
 *     ^                              |   ^                                       |
 *     +--- timer: the queue is empty-+   +------ pass: the next few retry -------+
 * </pre>
 *
 * <p>No wake-up is lost (Dekker pattern): the thread that frees a buffer then looks at the state;
 * the channel that enters the queue then looks at the live bytes; there is a full fence between
 * both steps on both sides, so at least one of the two sees the other and posts a pass. While the
 * queue is empty, a free costs that one look.
 *
 * <p>A pass lets the next few channels retry; one that finds no room any more goes back to the head
 * of the queue. When one of them has read and there is still room, the next pass follows.
 *
 * <p>Ageing: as long as channels wait there is one timer. Each time it finds no room, the head of
 * the queue reads anyway (a forced read), and the time until the next forced read doubles, from
 * {@value #MIN_PATIENCE} to {@value #MAX_PATIENCE} milliseconds; room resets it. So the n-th in the
 * queue reads after n times the longest interval at the latest, and the core sleeps in between. The
 * channel whose read was forced may go on reading until another one's is: what it has begun to read
 * may be what frees memory in the end. {@code ReadBackPressure} has the exception.
 *
 * <p>Any thread uses the queue and the state; passes and the timer run in a color of their own,
 * which any core may steal if this one is stuck. Source: Stingy Allocator (ISMM'06), section 3.2,
 * in which the scheduler asks before it runs a stage that allocates.
 */
public final class ReadQueue implements Runnable {
  /** A channel whose read is delayed. */
  public interface Waiter {
    /** Whether the channel has gone. Any thread. */
    boolean isOver();

    /**
     * It may try again. Any thread.
     *
     * @param forced whether it may read without room
     * @throws RejectedExecutionException if the group ends
     */
    void tryAgain(boolean forced);
  }

  /** Milliseconds until the first forced read. */
  static final int MIN_PATIENCE = 10;

  /** Longest time between two forced reads, in milliseconds. */
  static final int MAX_PATIENCE = 640;

  /** How many channels retry in one pass. */
  private static final int BATCH = 8;

  private static final int EMPTY = 0;
  private static final int WAITING = 1;
  private static final int CALLED = 2;

  private static final Handler<Call> PASS = new Pass();
  private static final Handler<ReadQueue> AGE = Handler.of(ReadQueue::age);

  private final Mely mely;
  private final Color color;
  private final CoreMemory memory;
  private final long bound;
  private final AtomicInteger state = new AtomicInteger(EMPTY);
  private final Deque<Waiter> waiters = new ConcurrentLinkedDeque<>();

  /** The channel of the last forced read. Written in the color, read by any thread. */
  private volatile @Nullable Waiter favored;

  private final int minPatience;

  /** Color only: milliseconds until the next forced read. */
  private int patience;

  /** How many reads were forced. */
  private final AtomicLong forcedReads = new AtomicLong();

  /**
   * @param color of the queue alone
   * @param memory of the core
   * @param bound of live bytes
   * @param minPatience milliseconds, {@link #MIN_PATIENCE} except in tests
   */
  ReadQueue(Mely mely, Color color, CoreMemory memory, long bound, int minPatience) {
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

  /** Whether its read was the last that was forced, and it may go on reading without room. */
  public boolean isFavored(Waiter waiter) {
    return favored == waiter;
  }

  /** How many wait, including channels that have gone. For tests: takes time, since it counts. */
  int waiting() {
    return waiters.size();
  }

  /** How many reads were forced. */
  long forcedReads() {
    return forcedReads.get();
  }

  /**
   * Enters the queue.
   *
   * @param atHead whether at its head, where the channel was before
   */
  public void add(Waiter waiter, boolean atHead) {
    if (atHead) {
      waiters.addFirst(waiter);
    } else {
      waiters.addLast(waiter);
    }
    if (state.compareAndSet(EMPTY, WAITING)) {
      setTimer();
    }
    VarHandle.fullFence();
    run();
  }

  /** Memory has been freed, or a channel has read: posts a pass if there is room. */
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

  // ---- The queue's color

  private void pass() {
    state.set(WAITING); // first: what is freed from here on posts another pass
    favored = null;
    patience = minPatience;
    for (int i = 0; i < BATCH && hasRoom(); i++) {
      if (!tryNext(false)) {
        return;
      }
    }
  }

  /** If the runtime drops the event, the next free or the timer posts another one. */
  private static final class Pass extends Handler<Call> {
    @Override
    public void handle(Call call) {
      call.queue.pass();
    }

    @Override
    protected void rejected(Call call) {
      call.queue.state.set(WAITING);
    }
  }

  /** The event of a pass. Takes no room among the pending events: there is one of them. */
  private static final class Call extends Event {
    final ReadQueue queue;

    Call(ReadQueue queue) {
      super(false);
      this.queue = queue;
    }
  }

  private void age() {
    if (waiters.isEmpty() && isEmptyAgain()) {
      return;
    }
    try {
      if (hasRoom()) {
        pass();
      } else {
        patience = Math.min(2 * patience, MAX_PATIENCE);
        if (tryNext(true)) {
          forcedReads.getAndIncrement();
        }
      }
    } finally {
      setTimer();
    }
  }

  /**
   * Whether the queue is empty still. A channel that enters it at this moment is seen here, or sets
   * the timer itself.
   */
  private boolean isEmptyAgain() {
    return state.compareAndSet(WAITING, EMPTY)
        && (waiters.isEmpty() || !state.compareAndSet(EMPTY, WAITING));
  }

  private void setTimer() {
    try {
      mely.schedule(color, AGE, this, Duration.ofMillis(patience));
    } catch (RejectedExecutionException e) {
      // The runtime ends, and all channels with it.
    }
  }

  /** False: the queue is empty, or the next channel cannot be told now. */
  private boolean tryNext(boolean forced) {
    Waiter next = waiters.pollFirst();
    while (next != null && next.isOver()) {
      next = waiters.pollFirst();
    }
    if (next == null) {
      return false;
    }
    if (forced) {
      favored = next;
    }
    try {
      next.tryAgain(forced);
      return true;
    } catch (RejectedExecutionException e) {
      waiters.addFirst(next);
      return false;
    } catch (Throwable t) {
      waiters.addFirst(next); // else it would never read again
      throw t;
    }
  }
}

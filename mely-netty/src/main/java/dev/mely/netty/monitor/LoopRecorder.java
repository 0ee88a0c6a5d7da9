package dev.mely.netty.monitor;

import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one event loop of Netty's runs: always what it is, so that a loop which is stuck is known to
 * be; how long it takes only in slices of the time, while anybody looks.
 */
final class LoopRecorder {
  /** In place of a channel: tasks, of which it is not known whose they are. */
  static final Object TASKS = "tasks";

  /** Spans of one slice, which ends there if it has so many: they take time to look through. */
  private static final int MOST = 2_048;

  /** A loop without tasks takes less than that to find none. */
  private static final long NO_TASKS_NANOS = 3_000;

  private final LongSupplier clock;

  /** Whether a slice is under way. Written under the lock; read without, and looked at again. */
  private volatile boolean timed;

  // Written by the loop alone, and opaque: figures for people, of which a reader needs no order.
  private final AtomicReference<@Nullable Object> running = new AtomicReference<>();
  private final AtomicLong begun = new AtomicLong();
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

  /** Any thread: one that closes a channel takes it away. */
  private final AtomicInteger channels = new AtomicInteger();

  // Guarded by this.
  private List<Span> spans = List.of();
  private @Nullable Object open;
  private long openSince;
  private long from;
  private long to;
  private long turns;

  /** Whether the loop has come back with channels that are ready, and since when it serves them. */
  private boolean inRound;

  private long round;

  /** Sum over all channels that were served: how long since {@link #round}. */
  private long waitedNanos;

  /**
   * What was recorded in one slice.
   *
   * @param spans in order; the first may have begun before the slice, and is cut off there
   * @param from when it began
   * @param to when it ended: all that ran up to then is known
   * @param turns of channels that have begun in it: more than there are spans, if some took no time
   * @param waitedNanos how long channels had waited for those that came first in their round
   */
  record Slice(List<Span> spans, long from, long to, long turns, long waitedNanos) {
    Slice {
      spans = List.copyOf(spans);
    }
  }

  /**
   * @param clock nanoseconds, as {@link System#nanoTime}
   */
  LoopRecorder(LongSupplier clock) {
    this.clock = clock;
  }

  // ---- The loop's thread

  /** The thread that calls runs the loop from now on. */
  void bind() {
    thread.setOpaque(Thread.currentThread());
  }

  /** A channel was registered with the loop. */
  void registered() {
    channels.getAndIncrement();
  }

  /** It has gone. Any thread. */
  void unregistered() {
    channels.getAndDecrement();
  }

  /** Something begins: a channel's turn, or tasks. */
  void begin(Object what) {
    running.setOpaque(what);
    begun.setOpaque(begun.getPlain() + 1); // no other thread writes it
    if (timed) {
      open(what);
    }
  }

  /** It ends. Its span first: a slice that ends in between finds that it still runs. */
  void end() {
    if (timed) {
      close();
    }
    running.setOpaque(null);
  }

  private synchronized void open(Object what) {
    if (!timed) { // the slice has ended since the caller looked
      return;
    }
    open = what;
    openSince = clock.getAsLong();
    if (what == TASKS) {
      inRound = false;
      return;
    }
    if (!inRound) {
      inRound = true;
      round = openSince;
    }
    turns++;
    waitedNanos += openSince - round;
  }

  private synchronized void close() {
    if (open != null) {
      add(open, clock.getAsLong());
      open = null;
    }
  }

  private void add(Object what, long now) {
    @Nullable Object channel = what == TASKS ? null : what;
    long nanos = now - openSince;
    if (nanos <= 0 || (channel == null && nanos < NO_TASKS_NANOS)) {
      return;
    }
    spans.add(new Span(channel, openSince, now));
    if (spans.size() == MOST) {
      timed = false;
      to = now;
    }
  }

  // ---- The sampler's thread

  /**
   * Begins a slice. What the loop begins or ends in the same instant may be missing: it reads
   * {@link #timed} behind its write of {@link #running}, and nothing orders the two.
   */
  synchronized void beginSlice() {
    timed = true;
    spans = new ArrayList<>();
    inRound = false;
    turns = 0;
    waitedNanos = 0;
    open = running();
    from = clock.getAsLong();
    openSince = from;
  }

  /** Ends it, if it has not ended by itself, and tells what ran in it; what still runs, too. */
  synchronized Slice endSlice() {
    if (timed) {
      timed = false;
      to = clock.getAsLong();
      if (open != null && open == running()) {
        add(open, to);
      }
    }
    open = null;
    Slice slice = new Slice(spans, from, to, turns, waitedNanos);
    spans = List.of();
    return slice;
  }

  /**
   * What runs now: a channel, or {@link #TASKS}; null: the loop waits. So does one whose thread has
   * ended: Netty suspends loops while they look for tasks.
   */
  @Nullable Object running() {
    @Nullable Thread last = thread();
    return last != null && !last.isAlive() ? null : running.getOpaque();
  }

  /** How many times something has begun. */
  long begun() {
    return begun.getOpaque();
  }

  /** How many channels are registered. */
  int channels() {
    return channels.getOpaque();
  }

  /** The loop's thread; null: it has none yet. */
  @Nullable Thread thread() {
    return thread.getOpaque();
  }
}

package dev.mely.netty.monitor;

import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one event loop of Netty's runs: always what it is, so that a loop which is stuck is known to
 * be; how long it takes only in slices of the time, while anybody looks.
 */
final class LoopRecorder {
  /** In place of a channel: tasks, of which it is not known whose they are. */
  static final Object TASKS = "tasks";

  /** Spans of one slice; what comes later is added to the last one. */
  private static final int MOST = 4_096;

  /** A loop without tasks takes less than that to find none. */
  private static final long NO_TASKS_NANOS = 3_000;

  private final LongSupplier clock;

  /** Whether a slice is under way. Written under the lock; read without. */
  private volatile boolean timed;

  // Plain, written by the loop: a reader sees recent values.
  private @Nullable Object running;
  private long begun;
  private @Nullable Thread thread;
  private int channels;

  // Guarded by this.
  private List<Span> spans = List.of();
  private @Nullable Object open;
  private long openSince;

  /** When the loop came back with channels that are ready, and served the first; 0: not yet. */
  private long round;

  /** Sum over all channels that were served: how long since {@link #round}. */
  private long waitedNanos;

  /**
   * @param clock nanoseconds, as {@link System#nanoTime}
   */
  LoopRecorder(LongSupplier clock) {
    this.clock = clock;
  }

  // ---- The loop's thread

  /** The thread that calls runs the loop from now on. */
  void bind() {
    thread = Thread.currentThread();
  }

  /** A channel was registered with the loop. */
  void registered() {
    channels++;
  }

  /** It has gone. */
  void unregistered() {
    channels--;
  }

  /** Something begins: a channel's turn, or tasks. */
  void begin(Object what) {
    running = what;
    begun++;
    if (timed) {
      open(what);
    }
  }

  void end() {
    running = null;
    if (timed) {
      close();
    }
  }

  private synchronized void open(Object what) {
    open = what;
    openSince = clock.getAsLong();
    if (what == TASKS) {
      round = 0;
    } else {
      round = round == 0 ? openSince : round;
      waitedNanos += openSince - round;
    }
  }

  private synchronized void close() {
    if (open != null) {
      add(open, clock.getAsLong());
      open = null;
    }
  }

  private void add(Object what, long now) {
    @Nullable Object channel = what == TASKS ? null : what;
    if (channel == null && now - openSince < NO_TASKS_NANOS) {
      return;
    }
    if (spans.size() < MOST) {
      spans.add(new Span(channel, openSince, now));
    } else {
      spans.set(MOST - 1, new Span(null, spans.get(MOST - 1).start(), now));
    }
  }

  // ---- The sampler's thread

  /**
   * Begins a slice. What the loop begins or ends in the same instant may be missing: it reads
   * {@link #timed} behind its write of {@link #running}, and nothing orders the two.
   */
  synchronized void beginSlice(long now) {
    timed = true;
    spans = new ArrayList<>();
    round = 0;
    waitedNanos = 0;
    open = running;
    openSince = now;
  }

  /** Ends it, and hands over what ran in it; what still runs, too. */
  synchronized List<Span> endSlice(long now) {
    timed = false;
    if (open != null && open == running) {
      add(open, now);
    }
    open = null;
    List<Span> all = spans;
    spans = List.of();
    return all;
  }

  /** How long channels of the last slice had waited for those that came first in their round. */
  synchronized long waitedNanos() {
    return waitedNanos;
  }

  /** What runs now: a channel, or {@link #TASKS}; null: the loop waits. */
  @Nullable Object running() {
    return running;
  }

  /** How many times something has begun. */
  long begun() {
    return begun;
  }

  /** How many channels are registered. */
  int channels() {
    return channels;
  }

  /** The loop's thread; null: it has none yet. */
  @Nullable Thread thread() {
    return thread;
  }
}

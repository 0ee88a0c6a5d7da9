package dev.mely.netty.doctor;

import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a thread runs of Netty's, in one examination. Called by that thread alone, but for {@link
 * #loop} and {@link #forget}.
 */
final class LoopTrace {
  /** Spans of one slice; what comes later is added to the last one. */
  static final int MOST = 8_192;

  /** Of the threads that turned out to be event loops. */
  static final Set<LoopTrace> LOOPS = ConcurrentHashMap.newKeySet();

  /** So many of a thread's channels are asked whether it is their event loop. */
  private static final int TRIES = 64;

  /** Null until it is known that this thread is an event loop. */
  private volatile @Nullable WatchedLoop loop;

  private int tries;

  /** Calls within calls: only the outermost is timed. */
  private int depth;

  private @Nullable Object channel;
  private long start;

  private volatile List<Span> spans = new ArrayList<>();

  /** The value of {@link Recording#from} for which spans have been handed over. */
  private long handedOver = Recording.CLOSED;

  private volatile boolean ended;

  void begin(@Nullable Object pipeline) {
    if (depth++ == 0) {
      channel = pipeline;
      start = Recording.now();
    } else if (channel == null) {
      channel = pipeline; // a task that reads a channel
    }
  }

  void end() {
    if (--depth > 0) {
      return;
    }
    @Nullable Object ran = channel;
    channel = null;
    if (depth < 0) {
      depth = 0; // the methods were changed while this thread was inside them
      return;
    }
    if (ended || (loop == null && (ran == null || !findLoop(ran)))) {
      return;
    }
    long from = Recording.from;
    long end = Recording.now();
    if (end >= from && from != handedOver) {
      record(ran, end);
    }
  }

  /** Calls for one channel that follow each other are one span. */
  private void record(@Nullable Object ran, long end) {
    List<Span> all = spans;
    int last = all.size() - 1;
    if (last < 0) {
      all.add(new Span(ran, start, end));
    } else if (all.get(last).channel() == ran && start - all.get(last).end() <= Span.PAUSE_NANOS) {
      all.set(last, new Span(ran, all.get(last).start(), end));
    } else if (all.size() == MOST) {
      all.set(last, new Span(null, all.get(last).start(), end)); // busy, with what is not known
    } else {
      all.add(new Span(ran, start, end));
    }
  }

  private boolean findLoop(Object pipeline) {
    if (tries == TRIES || !Recording.watching) {
      return false;
    }
    tries++;
    @Nullable WatchedLoop found = WatchedLoop.ofCurrentThread(pipeline);
    if (found == null) {
      return false;
    }
    adopt(found);
    return true;
  }

  private void adopt(WatchedLoop found) {
    loop = found;
    spans = new ArrayList<>();
    LOOPS.add(this);
    if (!Recording.watching) { // it ended meanwhile, and may have cleared the set before
      LOOPS.remove(this);
      forget();
    }
  }

  /** The event loop of this thread; null if it is none. Any thread may call this. */
  @Nullable WatchedLoop loop() {
    return loop;
  }

  /**
   * What was recorded. No more is recorded of this slice.
   *
   * @param from beginning of the slice; nothing is given if it is over
   * @param asked the event loop that was asked; nothing is given if this thread was another's, or
   *     none, so far
   */
  List<Span> handOver(long from, WatchedLoop asked) {
    if (from != Recording.from) {
      return List.of();
    }
    @Nullable WatchedLoop own = loop;
    if (own == null || own.executor() != asked.executor()) {
      if (asked.isOfCurrentThread()) {
        adopt(asked);
      }
      return List.of();
    }
    List<Span> recorded = spans;
    spans = new ArrayList<>();
    handedOver = from;
    return recorded;
  }

  /** Holds nothing of the program any more. Any thread may call this. */
  void forget() {
    ended = true;
    loop = null;
    spans = new ArrayList<>();
  }
}

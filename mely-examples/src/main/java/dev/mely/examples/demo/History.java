package dev.mely.examples.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The turns of one side in the last minute. Not thread-safe. */
final class History {
  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Deque<Entry> entries = new ArrayDeque<>();

  /** Whether the only turn that there may be is the first one. */
  private boolean fresh = true;

  private record Entry(long at, Children.Turn turn, Histogram busy, Histogram light) {}

  /** Adds a turn. The first one is of new connections, and counts only until there is another. */
  void add(Children.Turn turn) {
    if (fresh && !entries.isEmpty()) {
      entries.clear();
      fresh = false;
    }
    long now = System.nanoTime();
    Result result = turn.result();
    entries.addLast(
        new Entry(now, turn, Result.decode(result.busy()), Result.decode(result.light())));
    entries.removeIf(entry -> now - entry.at > MINUTE_NANOS);
  }

  void clear() {
    entries.clear();
    fresh = true;
  }

  /** Whether it has none but the first turn, with which no other is to be compared. */
  boolean isFresh() {
    return fresh;
  }

  /** The last turn; null: there is none. */
  Children.@Nullable Turn last() {
    @Nullable Entry last = entries.peekLast();
    return last == null ? null : last.turn;
  }

  /** The turns together. */
  Message.Minute minute() {
    double answers = 0;
    for (Entry entry : entries) {
      answers += entry.turn.result().answers();
    }
    Histogram busy = together(Entry::busy);
    return new Message.Minute(
        entries.isEmpty() ? null : answers / entries.size(),
        millis(busy, 50),
        millis(busy, 99),
        millis(together(Entry::light), 99));
  }

  private Histogram together(Function<Entry, Histogram> which) {
    Histogram all = Result.histogram();
    for (Entry entry : entries) {
      all.add(which.apply(entry));
    }
    return all;
  }

  private static @Nullable Double millis(Histogram times, double percentile) {
    return times.getTotalCount() == 0 ? null : times.getValueAtPercentile(percentile) / 1e3;
  }
}

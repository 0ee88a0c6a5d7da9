package dev.mely.netty.monitor;

import dev.mely.netty.sharing.Sharing;
import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A group of Netty's own. What its loops run is timed in slices: a fifth of the time, so that the
 * loops are hardly slowed down.
 */
final class StockGroup implements WatchedGroup {
  private static final long SLICE_NANOS = 50_000_000;

  /** The end of a slice tells which channels waited before it, and is not counted itself. */
  private static final long LOOK_AHEAD_NANOS = 10_000_000;

  /**
   * From the end of a slice to the next one; at random, since programs do things at fixed times.
   */
  private static final long SHORTEST_PAUSE_NANOS = 100_000_000;

  private static final long LONGEST_PAUSE_NANOS = 300_000_000;

  private final String name;

  /** Any thread. */
  private final List<StockLoop> loops = new CopyOnWriteArrayList<>();

  private volatile boolean hadLoops;

  /** Those whose slice is under way; empty: there is none. */
  private List<StockLoop> timed = List.of();

  private long sliceFrom;
  private long next;
  private long nanos;
  private double running;
  private double queued;
  private double more;
  private IdentityHashMap<Object, Long> byChannel = new IdentityHashMap<>();

  StockGroup(String name) {
    this.name = name;
  }

  void add(StockLoop loop) {
    loops.add(loop);
    hadLoops = true;
  }

  void remove(StockLoop loop) {
    loops.remove(loop);
  }

  @Override
  public void begin(long now) {
    next = now;
    beginSecond();
  }

  private void beginSecond() {
    nanos = 0;
    running = 0;
    queued = 0;
    more = 0;
    byChannel = new IdentityHashMap<>();
  }

  @Override
  public void tick(long now) {
    loops.forEach(loop -> loop.look(now));
    if (timed.isEmpty()) {
      if (now >= next) {
        timed = List.copyOf(loops);
        sliceFrom = now;
        timed.forEach(loop -> loop.recorder().beginSlice(now));
      }
    } else if (now - sliceFrom >= SLICE_NANOS) {
      endSlice(now);
      next = now + ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
    }
  }

  private void endSlice(long now) {
    long to = now - LOOK_AHEAD_NANOS;
    List<List<Span>> spans = new ArrayList<>();
    timed.forEach(loop -> spans.add(loop.recorder().endSlice(now)));
    int cpus = Runtime.getRuntime().availableProcessors();
    Sharing sharing = Sharing.of(spans, sliceFrom, to, cpus);
    long slice = to - sliceFrom;
    for (int i = 0; i < timed.size(); i++) {
      timed.get(i).addSlice(spans.get(i), sharing.busy().get(i), slice, now - sliceFrom);
      spans.get(i).forEach(span -> addChannel(span, to));
    }
    nanos += slice;
    running += sharing.running() * slice;
    queued += sharing.queued() * slice;
    more += sharing.more() * slice;
    timed = List.of();
  }

  private void addChannel(Span span, long to) {
    if (span.channel() != null && span.start() < to) {
      byChannel.merge(span.channel(), Math.min(to, span.end()) - span.start(), Long::sum);
    }
  }

  @Override
  public GroupFigures take(long now, double idleCpus) {
    long seen = Math.max(1, nanos);
    List<StockLoop> all = List.copyOf(loops);
    GroupFigures figures =
        new GroupFigures(
            name,
            GroupFigures.NETTY,
            all.stream().mapToInt(loop -> loop.recorder().channels()).sum(),
            null,
            running / seen,
            queued / seen,
            Math.min(idleCpus, more / seen),
            all.stream().map(loop -> loop.take(now, seen)).toList(),
            List.of(),
            hottest(seen),
            List.of(),
            List.of());
    beginSecond();
    return figures;
  }

  private List<Heavy> hottest(long seen) {
    return byChannel.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(GroupFigures.HEAVIEST)
        .map(
            channel ->
                new Heavy(
                    channel.getKey().toString(),
                    (double) channel.getValue() / seen,
                    null,
                    null,
                    null,
                    null))
        .toList();
  }

  @Override
  public void end() {
    timed.forEach(loop -> loop.recorder().endSlice(sliceFrom)); // nobody reads it
    timed = List.of();
    beginSecond();
  }

  @Override
  public boolean hasEnded() {
    return hadLoops && loops.isEmpty();
  }
}

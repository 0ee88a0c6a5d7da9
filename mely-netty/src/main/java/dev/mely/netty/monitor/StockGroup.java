package dev.mely.netty.monitor;

import dev.mely.netty.monitor.LoopRecorder.Slice;
import dev.mely.netty.sharing.Sharing;
import dev.mely.netty.sharing.Span;
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

  /**
   * The last of so many parts of a slice tells which channels waited before it, and is not counted
   * itself.
   */
  private static final int PARTS = 5;

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

  /** When they were told to begin: their recorders say when they did. */
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
    loops.forEach(StockLoop::beginSecond);
  }

  @Override
  public void tick(long now) {
    loops.forEach(loop -> loop.look(now));
    if (timed.isEmpty()) {
      if (now >= next) {
        timed = List.copyOf(loops);
        sliceFrom = now;
        timed.forEach(loop -> loop.recorder().beginSlice());
      }
    } else if (now - sliceFrom >= SLICE_NANOS) {
      endSlice();
      next = now + ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
    }
  }

  /** Ends it, and counts the time of which is known what all of them ran. */
  private void endSlice() {
    List<StockLoop> ended = timed;
    timed = List.of();
    List<Slice> slices = ended.stream().map(loop -> loop.recorder().endSlice()).toList();
    long from = slices.stream().mapToLong(Slice::from).max().orElse(0);
    long recorded = slices.stream().mapToLong(Slice::to).min().orElse(0) - from;
    long counted = recorded - recorded / PARTS;
    if (counted <= 0) { // one loop had too much to record before another one had begun
      return;
    }
    long to = from + counted;
    int cpus = Runtime.getRuntime().availableProcessors();
    Sharing sharing = Sharing.of(slices.stream().map(Slice::spans).toList(), from, to, cpus);
    for (int i = 0; i < ended.size(); i++) {
      ended.get(i).addSlice(slices.get(i), sharing.busy().get(i), counted);
      slices.get(i).spans().forEach(span -> addChannel(span, from, to));
    }
    nanos += counted;
    running += sharing.running() * counted;
    queued += sharing.queued() * counted;
    more += sharing.more() * counted;
  }

  private void addChannel(Span span, long from, long to) {
    long ran = Math.min(to, span.end()) - Math.max(from, span.start());
    if (span.channel() != null && ran > 0) {
      byChannel.merge(span.channel(), ran, Long::sum);
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
                    Tallies.text(channel.getKey()),
                    (double) channel.getValue() / seen,
                    null,
                    null,
                    null,
                    null))
        .toList();
  }

  @Override
  public void end() {
    timed.forEach(loop -> loop.recorder().endSlice()); // nobody reads it
    timed = List.of();
    beginSecond();
  }

  @Override
  public boolean hasEnded() {
    return hadLoops && loops.isEmpty();
  }
}

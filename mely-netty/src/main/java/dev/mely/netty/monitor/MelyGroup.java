package dev.mely.netty.monitor;

import dev.mely.Inspection;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.StingyAllocator;
import dev.mely.netty.monitor.GroupFigures.Memory;
import dev.mely.netty.monitor.GroupFigures.Steals;
import dev.mely.report.CoreState;
import dev.mely.report.Statistics;
import dev.mely.report.Statistics.PerCore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A group of Mely's. Its workers are not touched: their counters and queues are read. */
final class MelyGroup implements WatchedGroup {
  /** Colors that are read of each lane of a core-queue, in each look. */
  private static final int MOST_WAITING = 32;

  private final String name;
  private final MelyEventLoopGroup group;
  private final Inspection inspection;
  private final List<MelyCore> cores;
  private Statistics before;
  private long beforeAt;
  private Tallies tallies = new Tallies();
  private int looks;

  /** Looks at which a color waited while a core was idle. */
  private int queued;

  /** Sum over all looks: idle cores for which a color waited elsewhere. */
  private long more;

  MelyGroup(String name, MelyEventLoopGroup group) {
    this.name = name;
    this.group = group;
    this.inspection = group.mely().inspect();
    this.cores =
        IntStream.range(0, inspection.cores()).mapToObj(i -> new MelyCore("core " + i)).toList();
    this.before = inspection.statistics();
  }

  @Override
  public void begin(long now) {
    beginSecond(inspection.statistics(), now);
  }

  private void beginSecond(Statistics statistics, long now) {
    before = statistics;
    beforeAt = now;
    tallies = new Tallies();
    looks = 0;
    queued = 0;
    more = 0;
  }

  @Override
  public void tick(long now) {
    looks++;
    tallies.look();
    int idle = 0;
    int waiting = 0;
    for (int i = 0; i < cores.size(); i++) {
      CoreState state = inspection.state(i, MOST_WAITING);
      cores.get(i).look(state, now);
      tallies.add(state);
      idle += state.isParked() ? 1 : 0;
      waiting += state.colorsWaiting();
    }
    queued += idle > 0 && waiting > 0 ? 1 : 0;
    more += Math.min(idle, waiting);
  }

  @Override
  public GroupFigures take(long now, double idleCpus) {
    Statistics statistics = inspection.statistics();
    int seen = Math.max(1, looks);
    List<CoreFigures> figures = new ArrayList<>();
    List<Steals> steals = new ArrayList<>();
    for (int i = 0; i < cores.size(); i++) {
      PerCore then = before.cores().get(i);
      PerCore counted = statistics.cores().get(i);
      long nanos = Math.max(1, now - beforeAt);
      figures.add(cores.get(i).take(inspection.state(i, 0), then, counted, now, nanos, seen));
      addSteals(i, then, counted, steals);
    }
    GroupFigures taken =
        new GroupFigures(
            name,
            GroupFigures.MELY,
            group.registeredChannels(),
            inspection.stealCostNanos() / 1e3,
            figures.stream().mapToDouble(CoreFigures::busy).sum(),
            (double) queued / seen,
            Math.min(idleCpus, (double) more / seen),
            figures,
            steals,
            tallies.colors(),
            tallies.handlers(),
            memory());
    beginSecond(statistics, now);
    return taken;
  }

  private void addSteals(int thief, PerCore then, PerCore counted, List<Steals> steals) {
    for (int victim = 0; victim < cores.size(); victim++) {
      long count = counted.stolenFrom(victim) - then.stolenFrom(victim);
      if (count > 0) {
        steals.add(new Steals(victim, thief, count));
      }
    }
  }

  private List<Memory> memory() {
    @Nullable StingyAllocator allocator = group.allocator();
    return allocator == null
        ? List.of()
        : allocator.cores().stream()
            .map(c -> new Memory(c.thread(), c.liveBytes(), c.slabBytes(), c.fallbacks()))
            .toList();
  }

  @Override
  public void end() {
    tallies = new Tallies(); // holds colors
  }

  @Override
  public boolean hasEnded() {
    return group.isShutdown();
  }
}

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
import java.util.function.IntPredicate;
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

  /**
   * What one look says of how the cores share their work.
   *
   * @param idle cores that wait
   * @param waiting colors that wait for the others
   */
  record Look(int idle, int waiting) {
    /**
     * Cores are read one after the other. So one that waited when it was read is idle only if it
     * still waits when all others have been read: else it may have gone to what they have waiting.
     *
     * @param states of all cores
     * @param stillParked tells of each core, by its number, whether it waits now
     */
    static Look of(List<CoreState> states, IntPredicate stillParked) {
      int idle = 0;
      int waiting = 0;
      for (int i = 0; i < states.size(); i++) {
        if (states.get(i).isParked() && stillParked.test(i)) {
          idle++;
        } else {
          waiting += states.get(i).colorsWaiting();
        }
      }
      return new Look(idle, waiting);
    }

    /** Idle cores that could have run something. */
    int more() {
      return Math.min(idle, waiting);
    }
  }

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
    cores.forEach(MelyCore::beginSecond);
  }

  @Override
  public void tick(long now) {
    looks++;
    tallies.look();
    List<CoreState> states =
        IntStream.range(0, cores.size()).mapToObj(i -> inspection.state(i, MOST_WAITING)).toList();
    Look look = Look.of(states, i -> inspection.state(i, 0).isParked());
    queued += look.more() > 0 ? 1 : 0;
    more += look.more();
    for (int i = 0; i < states.size(); i++) {
      cores.get(i).look(states.get(i), now);
      tallies.add(states.get(i));
    }
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

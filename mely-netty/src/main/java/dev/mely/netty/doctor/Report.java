package dev.mely.netty.doctor;

import dev.mely.netty.doctor.GroupRecord.ChannelTime;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What is said of the groups, in words and tables. */
final class Report {
  private static final int CHANNELS = 5;

  /** A smaller part of what ran is not worth a change. */
  private static final double WORTH_IT = 0.1;

  /** From this share of the time on, a loop is the limit of what its channels can do. */
  private static final double FULL = 0.9;

  /**
   * From this share of its group's work on, a channel is what keeps one loop busier than others.
   */
  private static final double MOST_OF_IT = 0.5;

  private static final double MILLI = 1e6;

  private final List<GroupRecord> groups;
  private final int cpus;
  private final double load;
  private final StringBuilder text = new StringBuilder();

  /**
   * @param groups that had an event
   * @param cpus that the process may use
   * @param load how busy they were, by all processes: 0 to 1, or not a number if it is not known
   */
  Report(List<GroupRecord> groups, int cpus, double load) {
    this.groups = groups;
    this.cpus = cpus;
    this.load = load;
  }

  /** All of it, of several lines. */
  String text() {
    if (groups.isEmpty()) {
      return "mely doctor: no event loop of Netty ran an event of a channel, or its class loader does not see"
          + " this agent";
    }
    line("mely doctor: %d CPUs, %s", cpus, Double.isNaN(load) ? "load unknown" : busyCpus());
    groups.stream()
        .sorted(Comparator.comparing(GroupRecord::running).reversed())
        .forEach(this::add);
    return text.toString().stripTrailing();
  }

  private String busyCpus() {
    return String.format(Locale.ROOT, "busy %.0f %% of the time", 100 * load);
  }

  private void add(GroupRecord group) {
    line("");
    line("%s, %d s, loops: %d", group.name(), Math.round(group.seconds()), group.size());
    line("  %-36s %6s %20s %9s %9s", "loop", "busy", "lag (ms): median", "p99", "max");
    group.started().stream()
        .sorted(Comparator.comparing(LoopRecord::busySeconds).reversed())
        .forEach(loop -> add(loop, group.seconds()));
    int idle = group.size() - group.started().size();
    if (idle > 0) {
      line("  loops without a thread: %d", idle);
    }
    if (!group.channels().isEmpty()) {
      addChannels(group);
    }
    if (group.size() > 1) {
      addVerdict(group);
    } else {
      line("  It has one loop: there is no other one to share the work with.");
    }
  }

  private void add(LoopRecord loop, double seconds) {
    List<Long> lags = loop.lags();
    line(
        "  %-36s %4.0f %% %20s %9s %9s",
        loop.loop().thread(),
        100 * loop.busySeconds() / seconds,
        percentile(lags, 0.5),
        percentile(lags, 0.99),
        percentile(lags, 1));
  }

  private static String percentile(List<Long> sorted, double share) {
    if (sorted.isEmpty()) {
      return "-";
    }
    long nanos = sorted.get((int) Math.round(share * (sorted.size() - 1)));
    return String.format(Locale.ROOT, "%.2f", nanos / MILLI);
  }

  private void addChannels(GroupRecord group) {
    line("  hottest channels, in %% of one loop's time");
    hottest(group).stream()
        .limit(CHANNELS)
        .forEach(
            channel ->
                line("  %5.1f %%  %s", 100 * channel.seconds() / group.seconds(), channel.name));
    if (group.hasMoreChannels()) {
      line("  of the first %d channels; there were more", group.channels().size());
    }
  }

  private static List<ChannelTime> hottest(GroupRecord group) {
    return group.channels().stream()
        .sorted(Comparator.comparing(ChannelTime::seconds).reversed())
        .toList();
  }

  private void addVerdict(GroupRecord group) {
    double idleCpus = Double.isNaN(load) ? cpus : Math.max(0, (1 - load) * cpus);
    double more = Math.min(group.more(), idleCpus);
    line(
        "  A channel waited for its loop while another loop was idle: about %.0f %% of the time.",
        100 * group.queued());
    if (more >= WORTH_IT * group.running() && more > 0) {
      line(
          "  If waiting channels moved to idle loops: about %.1f times as much at once, %s.",
          (group.running() + more) / group.running(), effect(group));
    } else {
      line("  There is little to win by moving channels.");
      List<ChannelTime> hottest = hottest(group);
      double first = hottest.isEmpty() ? 0 : hottest.get(0).seconds() / group.seconds();
      if (first > MOST_OF_IT * group.running()) {
        line("  Most of the work is of one channel, and a channel cannot be divided.");
      }
    }
    if (group.started().stream().anyMatch(LoopRecord::wasFull)) {
      line("  More may have waited: a loop ran more events than could be kept.");
    }
    if (more < group.more() / 2) {
      line("  Other threads and processes left few CPUs for that.");
    }
  }

  /** Requests wait for a loop that is full; elsewhere they come no faster. */
  private static String effect(GroupRecord group) {
    double busiest =
        group.started().stream().mapToDouble(LoopRecord::busySeconds).max().orElse(0)
            / group.seconds();
    return busiest >= FULL
        ? "so more requests (a loop was full)"
        : "so shorter waits (no loop was full)";
  }

  private void line(String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}

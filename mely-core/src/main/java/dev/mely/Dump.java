package dev.mely;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Text about what a runtime does now. Reads the fields of running workers without a lock. */
final class Dump {
  /** At most so many entries of a lane are read to find the hottest colors. */
  private static final int SAMPLE = 1_000;

  /** How many colors of a core are shown. */
  private static final int HOTTEST = 5;

  private final Scheduler scheduler;
  private final @Nullable BlockedHandlers blockedHandlers;
  private final int[] cpus;
  private final long now;
  private final StringBuilder text = new StringBuilder();

  Dump(Scheduler scheduler, @Nullable BlockedHandlers blockedHandlers, int[] cpus) {
    this.scheduler = scheduler;
    this.blockedHandlers = blockedHandlers;
    this.cpus = cpus;
    this.now = scheduler.host.nanos();
  }

  String text() {
    text.append("Mely: ").append(scheduler.cores()).append(" cores, policy ");
    text.append(scheduler.policy).append(", ").append(phase()).append("; a steal costs ");
    text.append(micros(scheduler.price.stealNanos()));
    count(scheduler.pauses.count(), "colors paused");
    count(scheduler.overload == null ? 0 : scheduler.overload.waiting(), "producers wait for room");
    text.append('\n');
    for (int i = 0; i < scheduler.cores(); i++) {
      core(scheduler.core(i));
    }
    text.append("machine: ").append(scheduler.settings.machine.get()).append('\n');
    return Terminal.wrap(text.toString());
  }

  /** Something that makes events wait, if there is any. */
  private void count(int number, String what) {
    if (number > 0) {
      text.append("; ").append(number).append(' ').append(what);
    }
  }

  private String phase() {
    return switch (scheduler.phase()) {
      case Scheduler.OPEN -> "open";
      case Scheduler.DRAINING -> "draining";
      default -> "closed";
    };
  }

  private void core(Core core) {
    Color held = core.batch.color();
    text.append("core ").append(core.index).append(", cpu ").append(cpus[core.index]).append(": ");
    text.append(activity(core, held)).append('\n');
    text.append("  waiting ").append(core.queue.size()).append(" colors ").append(lanes(core));
    text.append("; worthy ").append(list(core.stealing.sizes(), "low", "middle", "high"));
    text.append("; ").append(timers(core));
    if (core.queue.pool() != null) {
      text.append("; in line for ")
          .append(core.queue.pool())
          .append(": ")
          .append(core.queue.lineSize());
    }
    text.append('\n');
    for (SeenColor hot : hottest(core, held)) {
      text.append("  hot ").append(hot.color()).append(": ").append(hot.pending());
      text.append(" pending, ").append(micros(hot.pendingNanos()));
      text.append(", next ").append(name(hot.handler())).append('\n');
    }
  }

  private String activity(Core core, @Nullable Color held) {
    if (core.isParked()) {
      return "parked for " + millis(now - core.counters.parkedAt());
    }
    if (held == null) {
      return core.parked.getOpaque() == Core.CALLED ? "called to steal" : "looking for work";
    }
    long stuck = blockedHandlers == null ? 0 : blockedHandlers.stuckNanos(core, now);
    String since = stuck == 0 ? "" : " for at least " + millis(stuck);
    return "running" + since + ": " + name(core.batch.handler) + " of " + held;
  }

  private static String name(@Nullable Handler<?> handler) {
    return Terminal.name(Errors.describe(handler));
  }

  private static String lanes(Core core) {
    int[] sizes = core.queue.sizes();
    return core.queue.isOrderedByCost()
        ? list(sizes, "urgent", "below 4 us", "below 16 us", "below 64 us", "longer", "background")
        : list(sizes, "urgent", "in turn");
  }

  private static String list(int[] numbers, String... names) {
    StringJoiner list = new StringJoiner(", ", "(", ")");
    for (int i = 0; i < numbers.length; i++) {
      list.add(numbers[i] + " " + names[i]);
    }
    return list.toString();
  }

  private String timers(Core core) {
    int n = core.timers.size();
    long next = core.timers.nextDeadline();
    return n == 0 || next == TimerQueue.NONE
        ? n + " timers"
        : n + " timers, next in " + millis(next - now);
  }

  /** The heaviest in a sample: the color that runs, and those at the heads of the lanes. */
  private static Collection<SeenColor> hottest(Core core, @Nullable Color held) {
    Map<Color, SeenColor> seen = new LinkedHashMap<>();
    if (held != null && held.pending() > 0) {
      seen.put(held, SeenColor.waiting(held));
    }
    SeenCore.waiting(core, SAMPLE).forEach(color -> seen.put(color.color(), color));
    List<SeenColor> hot = new ArrayList<>(seen.values());
    hot.sort(
        Comparator.comparingLong(SeenColor::pendingNanos)
            .thenComparingInt(SeenColor::pending)
            .reversed());
    return hot.subList(0, Math.min(HOTTEST, hot.size()));
  }

  private static String micros(long nanos) {
    return nanos / 1_000 + " us";
  }

  private static String millis(long nanos) {
    return nanos / 1_000_000 + " ms";
  }
}

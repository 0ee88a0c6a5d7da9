package dev.mely;

import dev.mely.stage.StageGraph;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What people may see of a runtime while it runs: figures, stages, text. It stops nobody, so what
 * is said of different cores need not have been true at one instant. Any thread.
 */
final class Inspection {
  private final Scheduler scheduler;

  /** Null: none are reported. */
  private final @Nullable BlockedHandlers blockedHandlers;

  /** By number of the core. */
  private final int[] cpus;

  Inspection(Scheduler scheduler, @Nullable BlockedHandlers blockedHandlers, int[] cpus) {
    this.scheduler = scheduler;
    this.blockedHandlers = blockedHandlers;
    this.cpus = cpus.clone();
  }

  /** The CPU that a core's worker is meant for. */
  int cpu(int core) {
    return cpus[scheduler.host.check(core)];
  }

  /** What the cores have done so far. */
  Statistics statistics() {
    List<Statistics.PerCore> cores = new ArrayList<>();
    long now = scheduler.host.nanos();
    for (int i = 0; i < scheduler.cores(); i++) {
      long blocked = blockedHandlers == null ? 0 : blockedHandlers.reports(i);
      cores.add(Statistics.PerCore.of(scheduler.core(i), now, blocked));
    }
    Overload overload = scheduler.overload;
    return overload == null
        ? new Statistics(cores, 0, 0, 0)
        : new Statistics(cores, overload.refused(), overload.dropped(), overload.blocked());
  }

  /** The program's stages as recorded so far. */
  StageGraph stages() {
    if (scheduler.stages == null) {
      throw new IllegalStateException("the runtime was built without recordStages(true)");
    }
    return scheduler.stages.graph();
  }

  /** Text for people. */
  String dump() {
    return new Dump(scheduler, blockedHandlers, cpus).text() + statistics();
  }
}

package dev.mely;

import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Gives each core of a new runtime a CPU, and tells thieves how near these are to each other. */
final class CpuLayout {
  private CpuLayout() {}

  /**
   * Sets the number of cores, if the program has not, and all that depends on their CPUs.
   *
   * @return by number of the core: the operating system's number of its CPU
   */
  static int[] place(Settings settings, AllowedCpus allowed, Topology caches) {
    if (settings.cores == 0) {
      settings.cores = allowed.recommendedWorkers();
    }
    int[] usable = allowed.cpus();
    int[] cpus = new int[settings.cores];
    for (int i = 0; i < cpus.length; i++) {
      cpus[i] = usable[i % usable.length];
    }
    if (settings.policy.isOn(StealPolicy.Heuristic.LOCALITY)) {
      settings.distance = (a, b) -> caches.distance(cpus[a], cpus[b]);
    }
    settings.domain = domains(caches, cpus);
    settings.machine = caches::describe;
    return cpus;
  }

  /** The outermost cache of each core, numbered from 0 in the order in which they are met. */
  private static IntUnaryOperator domains(Topology caches, int[] cpus) {
    List<Integer> met = new ArrayList<>();
    int[] domains = new int[cpus.length];
    for (int i = 0; i < cpus.length; i++) {
      int cache = caches.cacheDomain(cpus[i]);
      if (!met.contains(cache)) {
        met.add(cache);
      }
      domains[i] = met.indexOf(cache);
    }
    return core -> domains[core];
  }
}

package dev.mely.topology;

import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Renders a {@link Topology} as text. */
final class TopologyReport {
  private final Collection<Cpu> cpus;
  private final List<String> notes;

  TopologyReport(Collection<Cpu> cpus, List<String> notes) {
    this.cpus = cpus;
    this.notes = notes;
  }

  /** Returns one line: how many CPUs, cores, packages and NUMA nodes, as far as known. */
  String headline() {
    StringBuilder out = new StringBuilder();
    out.append(count(cpus.size(), "CPU"));
    out.append(" (").append(CpuList.format(numbers(cpus))).append(')');
    append(out, Cpu::core, "core");
    append(out, Cpu::packageId, "package");
    append(out, Cpu::node, "NUMA node");
    return out.toString();
  }

  /** Returns the headline, a paragraph for each package and node, and the notes. */
  String text() {
    StringBuilder out = new StringBuilder(headline());
    Map<String, List<Cpu>> places =
        cpus.stream()
            .collect(
                Collectors.groupingBy(
                    TopologyReport::place, LinkedHashMap::new, Collectors.toList()));
    places.forEach(
        (place, members) -> {
          out.append("\n  ").append(place).append(CpuList.format(numbers(members)));
          appendSiblings(out, members);
          for (int level = 1; level <= 3; level++) {
            appendCaches(out, level, members);
          }
        });
    for (String note : notes) {
      out.append("\n  note: ").append(note);
    }
    return out.toString();
  }

  private void append(StringBuilder out, ToIntFunction<Cpu> property, String noun) {
    long values = cpus.stream().mapToInt(property).filter(value -> value >= 0).distinct().count();
    if (values > 0) {
      out.append(", ").append(count(values, noun));
    }
  }

  private static String place(Cpu cpu) {
    StringBuilder out = new StringBuilder();
    if (cpu.packageId() >= 0) {
      out.append("package ").append(cpu.packageId()).append(", ");
    }
    if (cpu.node() >= 0) {
      out.append("node ").append(cpu.node()).append(", ");
    }
    return out.append("CPU ").toString();
  }

  private static void appendSiblings(StringBuilder out, List<Cpu> members) {
    Map<Integer, BitSet> cores = new TreeMap<>();
    for (Cpu cpu : members) {
      cores.computeIfAbsent(cpu.core(), unused -> new BitSet()).set(cpu.number());
    }
    if (cores.size() < members.size()) {
      out.append("\n    cores: ").append(join(cores.values()));
    }
  }

  /** Appends a line for each size that caches of this level have. */
  private static void appendCaches(StringBuilder out, int level, List<Cpu> members) {
    Map<Long, Map<Cache, BitSet>> bySize = new TreeMap<>();
    for (Cpu cpu : members) {
      Cache cache = cpu.cache(level);
      if (cache != null) {
        bySize
            .computeIfAbsent(cache.bytes, unused -> new LinkedHashMap<>())
            .putIfAbsent(cache, cache.cpus);
      }
    }
    bySize.forEach(
        (bytes, caches) -> {
          out.append("\n    L").append(level).append(' ').append(size(bytes));
          out.append(": ").append(join(caches.values()));
        });
  }

  private static String join(Collection<BitSet> groups) {
    return groups.stream().map(CpuList::format).collect(Collectors.joining(" | "));
  }

  private static BitSet numbers(Collection<Cpu> cpus) {
    BitSet numbers = new BitSet();
    cpus.forEach(cpu -> numbers.set(cpu.number()));
    return numbers;
  }

  private static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  /** Renders a size in the largest unit that divides it. */
  static String size(long bytes) {
    if (bytes < 0) {
      return "of unknown size";
    }
    if (bytes % (1 << 20) == 0) {
      return (bytes >> 20) + " MiB";
    }
    return bytes % (1 << 10) == 0 ? (bytes >> 10) + " KiB" : bytes + " B";
  }
}

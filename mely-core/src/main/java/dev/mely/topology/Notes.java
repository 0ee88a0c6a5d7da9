package dev.mely.topology;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what was odd about a machine: one line per oddity, however many CPUs show it. */
final class Notes {
  private final Map<String, BitSet> cpusByNote = new LinkedHashMap<>();

  /** Notes something about the machine as a whole. */
  void add(String note) {
    cpusByNote.computeIfAbsent(note, unused -> new BitSet());
  }

  /** Notes something about one CPU. */
  void add(String note, int cpu) {
    cpusByNote.computeIfAbsent(note, unused -> new BitSet()).set(cpu);
  }

  /** Returns the notes in the order in which they came up. */
  List<String> toList() {
    List<String> lines = new ArrayList<>();
    cpusByNote.forEach(
        (note, cpus) ->
            lines.add(cpus.isEmpty() ? note : note + " (CPU " + CpuList.format(cpus) + ")"));
    return List.copyOf(lines);
  }
}

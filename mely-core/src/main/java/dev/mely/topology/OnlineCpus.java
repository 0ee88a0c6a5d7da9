package dev.mely.topology;

import java.nio.file.Path;
import java.util.BitSet;

/** Finds out which CPUs are online. */
final class OnlineCpus {
  private OnlineCpus() {}

  /**
   * Reads the list of online CPUs; where there is none, takes every CPU that has a directory and
   * does not call itself offline.
   *
   * @return the CPUs, owned by the caller; empty if nothing is known
   */
  static BitSet read(Path sysRoot, Notes notes) {
    Path cpuRoot = sysRoot.resolve("devices/system/cpu");
    BitSet online = CpuList.parse(SysFiles.read(cpuRoot.resolve("online")));
    if (online != null && !online.isEmpty()) {
      return online;
    }
    BitSet present = SysFiles.numbered(cpuRoot, "cpu");
    for (int cpu = present.nextSetBit(0); cpu >= 0; cpu = present.nextSetBit(cpu + 1)) {
      if (SysFiles.readNumber(cpuRoot.resolve("cpu" + cpu + "/online")) == 0) {
        present.clear(cpu);
      }
    }
    if (!present.isEmpty()) {
      notes.add("no list of online CPUs; took those that have a directory");
    }
    return present;
  }
}

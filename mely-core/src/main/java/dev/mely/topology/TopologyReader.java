package dev.mely.topology;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link Topology} from the kernel's files. One reader serves one reading, in one thread.
 *
 * <p>CPUs are matched by what they say of themselves: those that name the same group at the same
 * level share the cache. A CPU that contradicts the others shares nothing with them, which costs
 * speed at most.
 */
final class TopologyReader {
  private static final int MAX_LEVEL = 3;

  private final Path sysRoot;
  private final int fallbackCpus;
  private final Notes notes = new Notes();
  private final Map<String, Cache> cacheByGroup = new HashMap<>();
  private final Map<String, Integer> coreByGroup = new HashMap<>();

  /** NUMA node by CPU. */
  private final Map<Integer, Integer> nodes = new HashMap<>();

  /**
   * Makes a reader.
   *
   * @param sysRoot what stands for {@code /sys}
   * @param fallbackCpus number of CPUs to assume where no CPU is found, 1 or more
   */
  TopologyReader(Path sysRoot, int fallbackCpus) {
    this.sysRoot = sysRoot;
    this.fallbackCpus = fallbackCpus;
  }

  Topology read() {
    BitSet online = OnlineCpus.read(sysRoot, notes);
    if (online.isEmpty()) {
      notes.add(
          "no CPU found under "
              + sysRoot
              + "; assumed "
              + fallbackCpus
              + ", numbered from 0 and equally far apart");
      online.set(0, fallbackCpus);
      return Topology.flat(online, notes.toList());
    }
    readNodes();
    List<Cpu> cpus = new ArrayList<>();
    online.stream().forEach(cpu -> cpus.add(readCpu(cpu)));
    if (cacheByGroup.isEmpty()) {
      notes.add("no cache known; CPUs are ordered by core, package and NUMA node alone");
    }
    return new Topology(cpus, notes.toList());
  }

  private void readNodes() {
    Path nodeRoot = sysRoot.resolve("devices/system/node");
    BitSet numbers = SysFiles.numbered(nodeRoot, "node");
    numbers.stream()
        .forEach(
            node -> {
              BitSet cpus =
                  CpuList.parse(SysFiles.read(nodeRoot.resolve("node" + node + "/cpulist")));
              if (cpus == null) {
                notes.add("NUMA node " + node + " ignored: its cpulist is missing or senseless");
              } else {
                cpus.stream().forEach(cpu -> nodes.putIfAbsent(cpu, node));
              }
            });
  }

  private Cpu readCpu(int cpu) {
    Path directory = sysRoot.resolve("devices/system/cpu/cpu" + cpu);
    Path topology = directory.resolve("topology");
    int packageId = readId(topology.resolve("physical_package_id"));
    int core = readCore(cpu, packageId, topology);
    @Nullable Cache[] caches = readCaches(cpu, directory.resolve("cache"));
    int node = nodes.getOrDefault(cpu, -1);
    return new Cpu(cpu, packageId, node, core, caches[1], caches[2], caches[3]);
  }

  /** Returns the lowest of the SMT siblings' numbers: CPUs come by in ascending order. */
  private int readCore(int cpu, int packageId, Path topology) {
    String group = "cpu " + cpu;
    BitSet siblings = sharers(cpu, topology.resolve("thread_siblings_list"));
    if (siblings != null) {
      group = "siblings " + CpuList.format(siblings);
    } else {
      int coreId = readId(topology.resolve("core_id"));
      if (packageId >= 0 && coreId >= 0) {
        group = "package " + packageId + " core " + coreId;
      }
    }
    return coreByGroup.computeIfAbsent(group, unused -> cpu);
  }

  /** Returns the caches by level, from 1. */
  private @Nullable Cache[] readCaches(int cpu, Path directory) {
    @Nullable Cache[] caches = new @Nullable Cache[MAX_LEVEL + 1];
    BitSet indexes = SysFiles.numbered(directory, "index");
    for (int i = indexes.nextSetBit(0); i >= 0; i = indexes.nextSetBit(i + 1)) {
      Path index = directory.resolve("index" + i);
      if ("Instruction".equals(SysFiles.read(index.resolve("type")))) {
        continue;
      }
      long level = SysFiles.readNumber(index.resolve("level"));
      if (level < 1) {
        notes.add("a cache ignored: its level is missing or senseless", cpu);
      } else if (level <= MAX_LEVEL && caches[(int) level] == null) {
        caches[(int) level] = readCache(cpu, (int) level, index);
      }
    }
    return caches;
  }

  private @Nullable Cache readCache(int cpu, int level, Path index) {
    String group;
    BitSet sharers = sharers(cpu, index.resolve("shared_cpu_list"));
    if (sharers != null) {
      group = "L" + level + " of " + CpuList.format(sharers);
    } else {
      int id = readId(index.resolve("id"));
      if (id < 0) {
        notes.add("an L" + level + " cache ignored: who shares it is missing or senseless", cpu);
        return null;
      }
      group = "L" + level + " number " + id;
    }
    long bytes = parseSize(SysFiles.read(index.resolve("size")));
    Cache cache = cacheByGroup.computeIfAbsent(group, unused -> new Cache(level, bytes));
    cache.cpus.set(cpu);
    return cache;
  }

  /**
   * Returns the online CPUs of a list of which this CPU must be one; null if it is no such list.
   */
  private @Nullable BitSet sharers(int cpu, Path list) {
    BitSet sharers = CpuList.parse(SysFiles.read(list));
    return sharers == null || !sharers.get(cpu) ? null : sharers;
  }

  private static int readId(Path file) {
    long id = SysFiles.readNumber(file);
    return id <= Integer.MAX_VALUE ? (int) id : -1;
  }

  /**
   * Parses the size of a cache.
   *
   * @param text digits and, but for plain bytes, one of {@code K}, {@code M} and {@code G}
   * @return size in bytes, -1 if the text is none
   */
  static long parseSize(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return -1;
    }
    int unit = "KMG".indexOf(text.charAt(text.length() - 1)) + 1;
    long count =
        SysFiles.parseNumber(unit == 0 ? text : text.substring(0, text.length() - 1).strip());
    int shift = 10 * unit;
    return count < 1 || count > Long.MAX_VALUE >> shift ? -1 : count << shift;
  }
}

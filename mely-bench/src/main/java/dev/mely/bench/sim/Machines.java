package dev.mely.bench.sim;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.mely.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Machines by name, with their caches and costs. */
final class Machines {
  /** The machine of the paper. */
  static final String PAPER = "xeon-e5410-2x4";

  /** This machine. */
  static final String HERE = "here";

  /** Machines with one shared cache, and with one per eight cores. */
  private static final String ONE_CACHE = "one-cache";

  private static final String MANY_CACHES = "many-caches";
  private static final int MANY_CACHES_CORES = 8;

  /** Cache of topologies by name and number of cores: each is read from some hundred files. */
  private static final Map<String, Topology> READ = new ConcurrentHashMap<>();

  private Machines() {}

  /** All names. */
  static List<String> names() {
    List<String> names = new ArrayList<>(List.of(HERE, ONE_CACHE, MANY_CACHES));
    names.addAll(dev.mely.topology.Machine.RECORDED);
    return names;
  }

  /**
   * Makes a machine.
   *
   * @param cores number of cores; 0: all. Any number for {@link #HERE} and for machines without a
   *     fixed number
   * @throws IllegalArgumentException for an unknown name, or too many cores
   */
  static Machine make(String name, int cores, Costs costs) {
    Topology topology = READ.computeIfAbsent(name + " " + cores, any -> topology(name, cores));
    return new Machine(topology, cores == 0 ? topology.cpus().length : cores, costs);
  }

  private static Topology topology(String name, int cores) {
    if (name.equals(HERE)) {
      Topology here = Topology.system();
      return cores <= here.cpus().length ? here : extended(here, cores);
    }
    int n = cores == 0 ? MANY_CACHES_CORES : cores;
    if (name.equals(ONE_CACHE)) {
      return fromText(text(n, 1, 1, n));
    }
    if (name.equals(MANY_CACHES)) {
      return fromText(text(n, 1, 1, MANY_CACHES_CORES));
    }
    if (!dev.mely.topology.Machine.RECORDED.contains(name)) {
      throw new IllegalArgumentException(
          "unknown machine '" + name + "'; known: " + String.join(", ", names()));
    }
    return withFiles(root -> dev.mely.topology.Machine.recorded(root, name).topology());
  }

  /** A larger machine with as many cores per cache as this one. */
  private static Topology extended(Topology here, int cores) {
    return fromText(
        text(
            cores,
            within(here, Topology.SHARES_L1),
            within(here, Topology.SHARES_L2),
            within(here, Topology.SHARES_L3)));
  }

  /** How many CPUs are within a distance of the first one, including itself. */
  private static int within(Topology topology, int distance) {
    int[] cpus = topology.cpus();
    return (int) IntStream.of(cpus).filter(c -> topology.distance(cpus[0], c) <= distance).count();
  }

  /** A machine by the number of cores that share each level of cache. */
  private static String text(int cores, int l1, int l2, int l3) {
    return String.join(
        "\n",
        "online 0-" + (cores - 1),
        "package 0 0-" + (cores - 1),
        "siblings " + groups(cores, 1),
        "cache 1 Data 32K " + groups(cores, l1),
        "cache 2 Unified 1024K " + groups(cores, l2),
        "cache 3 Unified 32768K " + groups(cores, l3),
        "node 0 0-" + (cores - 1));
  }

  private static String groups(int cores, int size) {
    List<String> groups = new ArrayList<>();
    for (int from = 0; from < cores; from += size) {
      int to = Math.min(cores, from + size) - 1;
      groups.add(from == to ? String.valueOf(from) : from + "-" + to);
    }
    return String.join(" | ", groups);
  }

  private static Topology fromText(String text) {
    return withFiles(root -> dev.mely.topology.Machine.of(root, text).topology());
  }

  /** Writes temporary files, from which the runtime's reader reads. */
  private static Topology withFiles(Function<Path, Topology> reader) {
    try {
      Path root = Files.createTempDirectory("mely-sim");
      try {
        return reader.apply(root);
      } finally {
        MoreFiles.deleteRecursively(root, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Default costs of a machine, without a file from {@code sim calibrate}. */
  static Costs costs(String name) {
    String file = name.equals(PAPER) ? "xeon-e5410.json" : "cloud-vm.json";
    try (InputStream in = Machines.class.getResourceAsStream(file)) {
      byte[] bytes = Objects.requireNonNull(in, file).readAllBytes();
      return Costs.fromJson(new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

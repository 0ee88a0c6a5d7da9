package dev.mely.topology;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * A machine's {@code /sys} and {@code /proc} as files under a directory.
 *
 * <p>A recorded machine is a text of one fact a line; {@code #} starts a comment. {@code online
 * LIST}, {@code package ID LIST}, {@code siblings GROUPS}, {@code cache LEVEL TYPE SIZE GROUPS},
 * {@code node ID LIST} and {@code file PATH TEXT} become the files in which the kernel says the
 * same. Groups are lists with {@code |} between them; {@code 0-7/2} is short for {@code 0-1 | 2-3 |
 * 4-5 | 6-7}.
 */
public final class Machine {
  /** Those that are recorded. */
  public static final List<String> RECORDED =
      List.of(
          "xeon-e5410-2x4",
          "opteron-8350-4x4",
          "cloud-vm-2",
          "hybrid-laptop-16",
          "epyc-16-smt",
          "arm-server-2x32",
          "arm-board-4",
          "offline-holes",
          "vm-packages-of-one");

  final Path sys;
  final Path proc;

  /** How many caches each CPU has so far. */
  private final Map<Integer, Integer> indexes = new HashMap<>();

  Machine(Path root) {
    this.sys = root.resolve("sys");
    this.proc = root.resolve("proc");
  }

  /** A recorded machine, as files below a directory. */
  public static Machine recorded(Path root, String name) {
    try (InputStream in = Machine.class.getResourceAsStream("/topology/" + name + ".machine")) {
      String text =
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
      return of(root, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A machine of which a text tells, as files below a directory. */
  public static Machine of(Path root, String text) {
    Machine machine = new Machine(root);
    text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .forEach(machine::fact);
    return machine;
  }

  /** What the runtime's own reader makes of the files. */
  public Topology topology() {
    return Topology.read(sys);
  }

  /** Writes the CPUs that the affinity mask of the process allows. */
  Machine allow(String list) {
    return write(
        proc, "self/status", "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t" + list);
  }

  Machine cpu(int cpu, String path, String text) {
    return write(sys, "devices/system/cpu/cpu" + cpu + "/" + path, text);
  }

  Machine write(Path root, String path, String text) {
    try {
      Path file = root.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  Machine delete(Path root, String path) {
    try (Stream<Path> files = Files.walk(root.resolve(path))) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  private void fact(String line) {
    String[] words = line.split(" ", 2);
    switch (words[0]) {
      case "online" -> write(sys, "devices/system/cpu/online", words[1]);
      case "package" -> {
        String[] parts = words[1].split(" ", 2);
        forEach(parts[1], cpu -> cpu(cpu, "topology/physical_package_id", parts[0]));
      }
      case "siblings" -> {
        for (String group : groups(words[1])) {
          forEach(group, cpu -> cpu(cpu, "topology/thread_siblings_list", group));
        }
      }
      case "cache" -> {
        String[] parts = words[1].split(" ", 4);
        for (String group : groups(parts[3])) {
          forEach(group, cpu -> cache(cpu, parts[0], parts[1], parts[2], group));
        }
      }
      case "node" -> {
        String[] parts = words[1].split(" ", 2);
        write(sys, "devices/system/node/node" + parts[0] + "/cpulist", parts[1]);
      }
      case "file" -> {
        String[] parts = words[1].split(" ", 2);
        write(sys, parts[0], parts[1]);
      }
      default -> throw new IllegalArgumentException(line);
    }
  }

  private void cache(int cpu, String level, String type, String size, String sharers) {
    String index = "cache/index" + (indexes.merge(cpu, 1, Integer::sum) - 1) + "/";
    cpu(cpu, index + "level", level);
    cpu(cpu, index + "type", type);
    cpu(cpu, index + "size", size);
    cpu(cpu, index + "shared_cpu_list", sharers);
  }

  private static List<String> groups(String text) {
    List<String> groups = new ArrayList<>();
    for (String part : text.split("\\|", -1)) {
      String[] listAndSize = part.strip().split("/", -1);
      if (listAndSize.length == 1) {
        groups.add(listAndSize[0]);
        continue;
      }
      BitSet group = new BitSet();
      for (int cpu : list(listAndSize[0])) {
        group.set(cpu);
        if (group.cardinality() == Integer.parseInt(listAndSize[1])) {
          groups.add(CpuList.format(group));
          group.clear();
        }
      }
      if (!group.isEmpty()) {
        throw new IllegalArgumentException(text);
      }
    }
    return groups;
  }

  private static void forEach(String list, IntConsumer action) {
    for (int cpu : list(list)) {
      action.accept(cpu);
    }
  }

  private static int[] list(String text) {
    return Objects.requireNonNull(CpuList.parse(text), text).stream().toArray();
  }
}

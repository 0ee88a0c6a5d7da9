package dev.mely.bench.server;

import dev.mely.topology.Topology;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The second-level cache of a CPU.
 *
 * @param bytes its size, as far as a CPU has it for itself
 * @param ways how many lines of 64 bytes a set has
 * @param source where that is from, for people
 */
record CacheShape(long bytes, int ways, String source) {
  /** What is taken where the machine does not tell. */
  private static final long USUAL_BYTES = 1 << 20;

  private static final int USUAL_WAYS = 16;

  /** That of this machine's first CPU. */
  static CacheShape system() {
    Topology machine = Topology.system();
    int cpu = machine.cpus()[0];
    return read(machine.privateL2Bytes(cpu), Path.of("/sys/devices/system/cpu/cpu" + cpu));
  }

  /**
   * That of a CPU.
   *
   * @param bytes its size; not positive: unknown
   * @param cpu the CPU's directory below {@code /sys}
   */
  static CacheShape read(long bytes, Path cpu) {
    int ways = ways(cpu.resolve("cache"));
    if (bytes <= 0 || ways <= 0 || bytes % (SetCache.LINE * (long) ways) != 0) {
      return new CacheShape(USUAL_BYTES, USUAL_WAYS, "assumed: this machine does not tell its own");
    }
    return new CacheShape(bytes, ways, "this machine's");
  }

  private static int ways(Path caches) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(caches, "index*")) {
      for (Path cache : all) {
        if (Files.readString(cache.resolve("level")).strip().equals("2")) {
          return Integer.parseInt(Files.readString(cache.resolve("ways_of_associativity")).strip());
        }
      }
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
    return 0;
  }

  /** An empty cache of a share of the size: so many of each set's ways. */
  SetCache share(int parts) {
    int left = Math.max(1, ways / parts);
    return new SetCache(bytes / ways * left, left);
  }
}

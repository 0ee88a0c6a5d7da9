package dev.mely.bench.server;

import dev.mely.topology.Topology;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The second-level cache of a CPU.
 *
 * @param bytes the size of one CPU's share
 * @param ways lines of 64 bytes per set
 * @param source of these values, for a message
 */
record CacheShape(long bytes, int ways, String source) {
  /** The size if the system does not tell it. */
  private static final long USUAL_BYTES = 1 << 20;

  private static final int USUAL_WAYS = 16;

  /** The cache of this machine's first CPU. */
  static CacheShape system() {
    Topology machine = Topology.system();
    int cpu = machine.cpus()[0];
    return read(machine.privateL2Bytes(cpu), Path.of("/sys/devices/system/cpu/cpu" + cpu));
  }

  /**
   * Reads the shape of a CPU's cache.
   *
   * @param bytes its size; not positive if unknown
   * @param cpu the CPU's directory below {@code /sys}
   */
  static CacheShape read(long bytes, Path cpu) {
    int ways = ways(cpu.resolve("cache"));
    if (bytes <= 0 || ways <= 0 || bytes % (SetCache.LINE * (long) ways) != 0) {
      return new CacheShape(USUAL_BYTES, USUAL_WAYS, "assumed: this machine's is unknown");
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

  /** An empty cache with a part of the ways of each set. */
  SetCache share(int parts) {
    int left = Math.max(1, ways / parts);
    return new SetCache(bytes / ways * left, left);
  }
}

package dev.mely.topology;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Reads how much CPU time the process's control groups grant it.
 *
 * <p>The limit of a group holds for all groups below it, so the smallest one between the process's
 * group and the root of its hierarchy counts. Version 1 ({@code cpu.cfs_quota_us}, {@code
 * cpu.cfs_period_us}) and version 2 ({@code cpu.max}) are both looked at, as a machine may run
 * both. Shares and weights are no limits and are ignored.
 *
 * <p>Where the hierarchies are mounted is taken from {@code self/mountinfo}, and from custom where
 * that is missing. A container may see only its own part of a hierarchy, mounted in place of the
 * whole, while {@code self/cgroup} names the group by its full path; the mount's own root tells
 * what to strip.
 */
final class CgroupQuota {
  /**
   * A mounted hierarchy.
   *
   * @param version 1 or 2
   * @param root the group that the mount point stands for
   * @param point where it is mounted, below the replaced roots
   */
  private record Mount(int version, String root, Path point) {}

  private final Path procRoot;
  private final Path sysRoot;
  private final Notes notes;

  private OptionalDouble quota = OptionalDouble.empty();

  private CgroupQuota(Path procRoot, Path sysRoot, Notes notes) {
    this.procRoot = procRoot;
    this.sysRoot = sysRoot;
    this.notes = notes;
  }

  /**
   * Reads the quota.
   *
   * @param procRoot what stands for {@code /proc}
   * @param sysRoot what stands for {@code /sys}
   * @param notes takes what was odd
   * @return CPU seconds per second, more than 0; empty if there is no limit or none can be read
   */
  static OptionalDouble read(Path procRoot, Path sysRoot, Notes notes) {
    CgroupQuota reader = new CgroupQuota(procRoot, sysRoot, notes);
    reader.readGroups();
    return reader.quota;
  }

  private void readGroups() {
    String groups = SysFiles.read(procRoot.resolve("self/cgroup"));
    if (groups == null) {
      return;
    }
    List<Mount> mounts = mounts();
    groups
        .lines()
        .forEach(
            line -> {
              // hierarchy:controllers:path, the first two "0" and "" in version 2
              String[] parts = line.split(":", 3);
              if (parts.length == 3) {
                int version = parts[1].isEmpty() ? 2 : 1;
                if (version == 2 || hasWord(parts[1], "cpu")) {
                  mounts.stream()
                      .filter(mount -> mount.version == version)
                      .forEach(mount -> readUpwards(mount, parts[2]));
                }
              }
            });
  }

  private List<Mount> mounts() {
    String table = SysFiles.read(procRoot.resolve("self/mountinfo"));
    if (table == null) {
      Path custom = sysRoot.resolve("fs/cgroup");
      return List.of(
          new Mount(2, "/", custom),
          new Mount(2, "/", custom.resolve("unified")),
          new Mount(1, "/", custom.resolve("cpu")),
          new Mount(1, "/", custom.resolve("cpu,cpuacct")));
    }
    return table.lines().map(this::mount).filter(mount -> mount != null).toList();
  }

  /**
   * Parses a line of {@code mountinfo}: "id parent device root point options [tags...] - type
   * source super-options".
   */
  private @Nullable Mount mount(String line) {
    int separator = line.indexOf(" - ");
    if (separator < 0) {
      return null;
    }
    String[] fields = line.substring(0, separator).split(" ", -1);
    String[] type = line.substring(separator + 3).split(" ", 3);
    if (fields.length < 6 || type.length < 3) {
      return null;
    }
    int version = type[0].equals("cgroup2") ? 2 : type[0].equals("cgroup") ? 1 : 0;
    if (version == 0 || (version == 1 && !hasWord(type[2], "cpu"))) {
      return null;
    }
    Path point = rebase(unescape(fields[4]));
    return point == null ? null : new Mount(version, unescape(fields[3]), point);
  }

  /** Turns a path of the machine into one below the replaced roots; null if it cannot be. */
  private @Nullable Path rebase(String path) {
    try {
      if (path.startsWith("/sys/")) {
        return sysRoot.resolve(path.substring("/sys/".length()));
      }
      Path machineRoot = procRoot.toAbsolutePath().getParent();
      return machineRoot == null ? null : machineRoot.resolve(path.substring(1));
    } catch (RuntimeException noPath) {
      return null;
    }
  }

  /** Takes in the limits of a group and of all above it, up to the mount point. */
  private void readUpwards(Mount mount, String group) {
    Path top = mount.point.normalize();
    Path directory = top;
    try {
      Path named = top.resolve(relative(group, mount.root)).normalize();
      // A path out of the mount, "/../..", is that of a process outside our cgroup namespace.
      if (named.startsWith(top) && Files.isDirectory(named)) {
        directory = named;
      }
    } catch (RuntimeException noPath) {
      // The mount point is the closest that there is.
    }
    while (directory != null && directory.startsWith(top)) {
      if (mount.version == 2) {
        readVersion2(directory);
      } else {
        readVersion1(directory);
      }
      directory = directory.getParent();
    }
  }

  private static String relative(String group, String root) {
    String path = group;
    if (!root.equals("/") && (group + "/").startsWith(root + "/")) {
      path = group.substring(root.length());
    }
    return path.startsWith("/") ? path.substring(1) : path;
  }

  private void readVersion2(Path directory) {
    String text = SysFiles.read(directory.resolve("cpu.max"));
    if (text == null) {
      return;
    }
    String[] words = text.split("\\s+", -1);
    if (!words[0].equals("max")) {
      long period = words.length == 2 ? SysFiles.parseNumber(words[1]) : -1;
      limit(directory, SysFiles.parseNumber(words[0]), period);
    }
  }

  private void readVersion1(Path directory) {
    String text = SysFiles.read(directory.resolve("cpu.cfs_quota_us"));
    if (text != null && !text.equals("-1")) {
      long period = SysFiles.readNumber(directory.resolve("cpu.cfs_period_us"));
      limit(directory, SysFiles.parseNumber(text), period);
    }
  }

  private void limit(Path directory, long quotaMicros, long periodMicros) {
    if (quotaMicros <= 0 || periodMicros <= 0) {
      notes.add("the CPU quota in " + directory + " ignored: it makes no sense");
      return;
    }
    double share = (double) quotaMicros / periodMicros;
    quota = OptionalDouble.of(Math.min(share, quota.orElse(share)));
  }

  private static boolean hasWord(String list, String word) {
    return List.of(list.split(",")).contains(word);
  }

  /** Undoes the octal escapes of {@code mountinfo}: blank, tab, line feed and backslash. */
  private static String unescape(String field) {
    return field
        .replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }

  /** Renders a quota for people, with at most two decimals. */
  static String format(double quota) {
    return String.format(Locale.ROOT, "%.2f", quota).replaceAll("\\.?0+$", "");
  }
}

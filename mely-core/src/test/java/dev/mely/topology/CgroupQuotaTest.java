package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CPU quotas of control groups, version 1 and 2, seen from a host and from inside containers. */
class CgroupQuotaTest {
  private static final OptionalDouble NONE = OptionalDouble.empty();

  @TempDir private Path directory;
  private Machine machine;
  private final Notes notes = new Notes();

  @BeforeEach
  void machine() {
    machine = new Machine(directory);
  }

  @Test
  void noGroupsNoQuota() {
    assertEquals(NONE, read());
  }

  @Test
  void version2() {
    groups("0::/app");
    mounts("30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate");
    sys("fs/cgroup/app/cpu.max", "250000 100000");
    assertEquals(OptionalDouble.of(2.5), read());
  }

  @ParameterizedTest
  @CsvSource({"100000, 400000, 1", "400000, 100000, 1", "max, 300000, 3", "300000, max, 3"})
  void tightestOfAllParentsCounts(String parent, String child, double expected) {
    groups("0::/kube/pod/app");
    mounts("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    sys("fs/cgroup/kube/cpu.max", parent + " 100000");
    sys("fs/cgroup/kube/pod/app/cpu.max", child + " 100000");
    sys("fs/cgroup/other/cpu.max", "1000 100000");
    assertEquals(OptionalDouble.of(expected), read());
  }

  @Test
  void noLimitAtAll() {
    groups("0::/app");
    mounts("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    sys("fs/cgroup/app/cpu.max", "max 100000");
    assertEquals(NONE, read());
    assertEquals(List.of(), notes.toList());
  }

  /** A mount above the hierarchy is not part of it. */
  @Test
  void nothingAboveTheMountPointIsRead() {
    groups("0::/app");
    mounts("30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    sys("fs/cgroup/cpu.max", "1000 100000");
    sys("fs/cgroup/unified/app/cpu.max", "200000 100000");
    assertEquals(OptionalDouble.of(2), read());
  }

  @Test
  void version1() {
    groups("5:memory:/app", "3:cpu,cpuacct:/app", "1:name=systemd:/app");
    mounts(
        "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
        "32 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct");
    sys("fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
    sys("fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    sys("fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "75000");
    sys("fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "50000");
    assertEquals(OptionalDouble.of(1.5), read());
    assertEquals(List.of(), notes.toList());
  }

  /** The group is named by its full path, but only its own part is mounted. */
  @Test
  void version1InAContainer() {
    groups("3:cpu,cpuacct:/docker/0123");
    mounts("32 25 0:28 /docker/0123 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct");
    sys("fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000");
    sys("fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    assertEquals(OptionalDouble.of(2), read());
  }

  @Test
  void version1BelowAContainer() {
    groups("3:cpu,cpuacct:/docker/0123/worker");
    mounts("32 25 0:28 /docker/0123 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct");
    sys("fs/cgroup/cpu,cpuacct/worker/cpu.cfs_quota_us", "300000");
    sys("fs/cgroup/cpu,cpuacct/worker/cpu.cfs_period_us", "100000");
    sys("fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000");
    sys("fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    assertEquals(OptionalDouble.of(3), read());
  }

  /** A process whose group lies outside its namespace, or is not to be seen. */
  @ParameterizedTest
  @ValueSource(strings = {"/../../fs", "/..", "/gone/away", "/", ""})
  void groupThatCannotBeSeenFallsBackToTheMountPoint(String group) {
    groups("0::" + group);
    mounts("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    sys("fs/cgroup/cpu.max", "200000 100000");
    sys("fs/cpu.max", "1000 100000");
    sys("cpu.max", "1000 100000");
    assertEquals(OptionalDouble.of(2), read());
  }

  @Test
  void bothVersionsAtOnce() {
    groups("3:cpu:/", "0::/");
    mounts(
        "32 25 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu",
        "33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    sys("fs/cgroup/cpu/cpu.cfs_quota_us", "100000");
    sys("fs/cgroup/cpu/cpu.cfs_period_us", "100000");
    sys("fs/cgroup/unified/cpu.max", "200000 100000");
    assertEquals(OptionalDouble.of(1), read());
  }

  /** Each hierarchy has groups of its own; a name in one means nothing in another. */
  @Test
  void groupsOfOtherHierarchiesDoNotCount() {
    groups("5:memory:/memory", "3:cpu:/cpu", "0::/unified");
    mounts(
        "32 25 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu",
        "33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    for (String group : List.of("memory", "unified")) {
      sys("fs/cgroup/cpu/" + group + "/cpu.cfs_quota_us", "1000");
      sys("fs/cgroup/cpu/" + group + "/cpu.cfs_period_us", "100000");
    }
    sys("fs/cgroup/unified/cpu/cpu.max", "1000 100000");
    sys("fs/cgroup/unified/unified/cpu.max", "200000 100000");
    assertEquals(OptionalDouble.of(2), read());
  }

  @Test
  void mountPointsElsewhere() {
    groups("3:cpu:/app");
    mounts("32 25 0:28 / /my\\040groups/cpu rw - cgroup cgroup rw,cpu");
    machine.write(directory, "my groups/cpu/app/cpu.cfs_quota_us", "700000");
    machine.write(directory, "my groups/cpu/app/cpu.cfs_period_us", "100000");
    assertEquals(OptionalDouble.of(7), read());
  }

  @ParameterizedTest
  @ValueSource(strings = {"fs/cgroup", "fs/cgroup/unified"})
  void withoutMountTableCustomServesVersion2(String point) {
    groups("0::/app");
    sys(point + "/app/cpu.max", "200000 100000");
    assertEquals(OptionalDouble.of(2), read());
  }

  @ParameterizedTest
  @ValueSource(strings = {"fs/cgroup/cpu", "fs/cgroup/cpu,cpuacct"})
  void withoutMountTableCustomServesVersion1(String point) {
    groups("3:cpu,cpuacct:/app");
    sys(point + "/app/cpu.cfs_quota_us", "200000");
    sys(point + "/app/cpu.cfs_period_us", "100000");
    assertEquals(OptionalDouble.of(2), read());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "100000", "0 100000", "100000 0", "-5 100000", "a b", "100000 max", "1 2 3"})
  void senselessLimitIsNoted(String text) {
    groups("0::/");
    sys("fs/cgroup/cpu.max", text);
    assertEquals(NONE, read());
    assertEquals(
        List.of(
            "the CPU quota in " + machine.sys.resolve("fs/cgroup") + " ignored: it makes no sense"),
        notes.toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense", "0:", "::", "a:b:c", "0::\0", "3:cpu:\0"})
  void senselessGroupsAreIgnored(String line) {
    groups(line);
    mounts("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "nonsense", " - ", "a b - c d");
    assertEquals(NONE, read());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "30 23 0:26 / /sys/fs/cgroup - cgroup2 cgroup2 rw",
        "30 23 0:26 / /sys/fs/cgroup rw cgroup2 cgroup2 rw",
        "30 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw",
        "30 23 0:26 / /sys/fs/\0 rw - cgroup2 cgroup2 rw",
        "30 23 0:26 /  rw - cgroup2 cgroup2 rw",
      })
  void senselessMountsAreIgnored(String line) {
    groups("0::/");
    mounts(line);
    sys("fs/cgroup/cpu.max", "200000 100000");
    assertEquals(NONE, read());
  }

  @ParameterizedTest
  @CsvSource({"1.5, 1.5", "2, 2", "10, 10", "0.333333, 0.33"})
  void formatsQuotas(double quota, String text) {
    assertEquals(text, CgroupQuota.format(quota));
  }

  private OptionalDouble read() {
    return CgroupQuota.read(machine.proc, machine.sys, notes);
  }

  private void groups(String... lines) {
    machine.write(machine.proc, "self/cgroup", String.join("\n", lines));
  }

  private void mounts(String... lines) {
    machine.write(machine.proc, "self/mountinfo", String.join("\n", lines));
  }

  private void sys(String path, String text) {
    machine.write(machine.sys, path, text);
  }
}

package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Affinity masks and how quotas bound the workers (requirement B1). */
class AllowedCpusTest {
  private static final String ONLINE = "devices/system/cpu/online";

  @TempDir private Path directory;
  private Machine machine;

  @BeforeEach
  void machine() {
    machine = new Machine(directory);
    machine.write(machine.sys, ONLINE, "0-7");
  }

  @Test
  void maskIsCutToTheOnlineCpus() {
    machine.write(machine.sys, ONLINE, "0-1,4-7").allow("1-4,8-255");
    AllowedCpus allowed = read();
    assertArrayEquals(new int[] {1, 4}, allowed.cpus());
    assertEquals(2, allowed.count());
    assertTrue(allowed.contains(4));
    assertFalse(allowed.contains(2));
    assertFalse(allowed.contains(5));
    assertEquals(2, allowed.recommendedWorkers());
    assertEquals(OptionalDouble.empty(), allowed.quota());
    assertEquals(List.of(), allowed.notes());
    assertEquals("allowed CPUs: 1,4, workers 2", allowed.describe());
  }

  @Test
  void arrayIsACopy() {
    machine.allow("0-1");
    AllowedCpus allowed = read();
    allowed.cpus()[0] = 7;
    assertArrayEquals(new int[] {0, 1}, allowed.cpus());
  }

  @ParameterizedTest
  @CsvSource({"none", "garbage", "''"})
  void unknownMaskTakesAllOnlineCpus(String list) {
    if (!list.equals("none")) {
      machine.allow(list);
    }
    AllowedCpus allowed = read();
    assertEquals(8, allowed.count());
    assertEquals(List.of("no affinity mask known; took all CPUs that are online"), allowed.notes());
  }

  @Test
  void maskWithoutOnlineCpusIsIgnored() {
    machine.allow("8-9");
    AllowedCpus allowed = read();
    assertEquals(8, allowed.count());
    assertEquals(1, allowed.notes().size(), allowed::describe);
  }

  /** A container that hides {@code /sys}; masks name more CPUs than there are. */
  @Test
  void unknownOnlineCpusAreTakenFromTheMask() {
    machine.delete(machine.sys, ONLINE).allow("2-127");
    AllowedCpus allowed = read();
    assertArrayEquals(new int[] {2, 3, 4}, allowed.cpus());
    assertEquals(1, allowed.notes().size(), allowed::describe);
    assertTrue(Pinning.objection(allowed, 1).isPresent());
  }

  @Test
  void systemsWithoutEitherAreCountedByTheRuntime() {
    AllowedCpus allowed =
        AllowedCpus.read(directory.resolve("a"), directory.resolve("b"), 3, Integer.MAX_VALUE);
    assertArrayEquals(new int[] {0, 1, 2}, allowed.cpus());
    assertEquals(3, allowed.recommendedWorkers());
    assertEquals(
        "allowed CPUs: 0-2, workers 3\n"
            + "  note: no CPU numbers known; assumed 3, numbered from 0",
        allowed.describe());
    assertTrue(Pinning.objection(allowed, 1).isPresent());
  }

  @Test
  void runningProcessIsRead() {
    AllowedCpus allowed = AllowedCpus.system();
    assertTrue(allowed.count() >= allowed.recommendedWorkers(), allowed::describe);
    assertTrue(allowed.recommendedWorkers() >= 1, allowed::describe);
    assertTrue(allowed.contains(allowed.cpus()[0]), allowed::describe);
  }

  @ParameterizedTest
  @CsvSource({
    "100000 100000, 1",
    "100001 100000, 2",
    "250000 100000, 3",
    "1000 100000, 1",
    "400000 100000, 4",
    "1600000 100000, 4",
    "max 100000, 4",
  })
  void workersFollowTheQuotaRoundedUp(String quota, int workers) {
    machine.allow("0-3");
    machine.write(machine.proc, "self/cgroup", "0::/");
    machine.write(machine.sys, "fs/cgroup/cpu.max", quota);
    assertEquals(workers, read().recommendedWorkers());
  }

  /** A quota leaves it open which CPUs are free; a cpuset settles it. */
  @ParameterizedTest
  @CsvSource({
    "0-3, 150000 100000, false",
    "0-3, 399999 100000, false",
    "0-3, 400000 100000, true",
    "0-1, 300000 100000, true",
    "0-3, max 100000, true",
  })
  void pinningIsUnwiseUnderAQuota(String mask, String quota, boolean advisable) {
    machine.allow(mask);
    machine.write(machine.proc, "self/cgroup", "0::/");
    machine.write(machine.sys, "fs/cgroup/cpu.max", quota);
    AllowedCpus allowed = read();
    assertEquals(advisable, Pinning.objection(allowed, 1).isEmpty());
    assertEquals(advisable ? Pinning.affinity() : Pinning.none(), Pinning.advised(allowed, 1));
  }

  /** What {@code -XX:ActiveProcessorCount} says counts where it is less. */
  @ParameterizedTest
  @CsvSource({
    "1, max 100000, 1",
    "3, max 100000, 3",
    "4, max 100000, 4",
    "9, max 100000, 4",
    "1, 150000 100000, 1",
    "2, 150000 100000, 2",
    "4, 150000 100000, 2",
  })
  void workersAreNoMoreThanTheRuntimeWasTold(int told, String quota, int workers) {
    machine.allow("0-3");
    machine.write(machine.proc, "self/cgroup", "0::/");
    machine.write(machine.sys, "fs/cgroup/cpu.max", quota);
    assertEquals(workers, read(told).recommendedWorkers());
    assertEquals(4, read(told).count());
  }

  @Test
  void aRuntimeThatWasToldLessIsNamed() {
    machine.allow("0-3");
    assertEquals("allowed CPUs: 0-3, the Java runtime counts 3, workers 3", read(3).describe());
    assertEquals(
        "a Java runtime told to use 3 of 4 CPUs that others share: no cpuset sets any apart",
        Pinning.objection(read(3), 3).orElseThrow());
    assertEquals("allowed CPUs: 0-3, workers 4", read(4).describe());
    assertTrue(Pinning.objection(read(4), 4).isEmpty());
  }

  @Test
  void moreWorkersThanCpusAreNotPinned() {
    machine.allow("0-1");
    assertTrue(Pinning.objection(read(), 2).isEmpty());
    assertEquals(
        "there are more of them, 3, than CPUs, 2", Pinning.objection(read(), 3).orElseThrow());
  }

  @Test
  void objectionNamesTheFigures() {
    machine.allow("0-3");
    machine.write(machine.proc, "self/cgroup", "0::/");
    machine.write(machine.sys, "fs/cgroup/cpu.max", "150000 100000");
    assertEquals(
        "a quota of 1.5 on 4 CPUs that others share: no cpuset sets any apart",
        Pinning.objection(read(), 1).orElseThrow());
    assertEquals("allowed CPUs: 0-3, quota 1.5, workers 2", read().toString());
  }

  private AllowedCpus read() {
    return read(Integer.MAX_VALUE);
  }

  private AllowedCpus read(int limit) {
    return AllowedCpus.read(machine.proc, machine.sys, 3, limit);
  }
}

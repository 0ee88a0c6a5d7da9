package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Machines that leave out, garble or contradict what they should tell: never a failure. */
class OddMachinesTest {
  private static final String ONLINE = "devices/system/cpu/online";

  @TempDir private Path directory;

  @Test
  void emptyDirectoryIsFlat() {
    Topology topology = new TopologyReader(directory, 3).read();
    assertArrayEquals(new int[] {0, 1, 2}, topology.cpus());
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 2));
    assertNoted(topology, "no CPU found under " + directory + "; assumed 3");
  }

  @Test
  void missingRootIsFlat() {
    Topology topology = Topology.read(directory.resolve("missing"));
    assertEquals(Runtime.getRuntime().availableProcessors(), topology.cpus().length);
    assertNoted(topology, "no CPU found");
    Invariants.check(topology);
  }

  @Test
  void runningMachineIsRead() {
    Invariants.check(Topology.system());
  }

  /** A sandbox that counts the CPUs and hides what they are. */
  @Test
  void onlineListAloneKeepsTheNumbers() {
    Machine machine = new Machine(directory);
    machine.write(machine.sys, ONLINE, "2-3,6");
    Topology topology = machine.topology();
    assertArrayEquals(new int[] {2, 3, 6}, topology.cpus());
    assertEquals(Topology.SAME_PACKAGE, topology.distance(2, 6));
    assertNoted(topology, "no cache known");
  }

  @ParameterizedTest
  @CsvSource({"''", "garbage", "3-1", "MISSING"})
  void withoutOnlineListTheDirectoriesCount(String online) {
    Machine machine = Machine.recorded(directory, "offline-holes");
    if (online.equals("MISSING")) {
      machine.delete(machine.sys, ONLINE);
    } else {
      machine.write(machine.sys, ONLINE, online);
    }
    Topology topology = machine.topology();
    assertArrayEquals(new int[] {0, 3, 4, 6, 7}, topology.cpus());
    assertEquals(Topology.SHARES_L1, topology.distance(6, 7));
    assertNoted(topology, "no list of online CPUs");
  }

  /** Some containers narrow the online list and leave the cache lists as they are. */
  @Test
  void sharersThatAreNotOnlineDoNotCount() {
    Machine machine = Machine.recorded(directory, "xeon-e5410-2x4");
    machine.write(machine.sys, ONLINE, "0-3");
    Topology topology = machine.topology();
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 2));
    assertEquals(6L << 20, topology.privateL2Bytes(0));
  }

  @ParameterizedTest
  @CsvSource({"''", "nonsense", "1", "7-"})
  void senselessSharersAreNoted(String list) {
    Machine machine = Machine.recorded(directory, "cloud-vm-2");
    machine.cpu(0, "cache/index3/shared_cpu_list", list);
    Topology topology = machine.topology();
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 1));
    assertNoted(topology, "an L3 cache ignored: who shares it is missing or senseless (CPU 0)");
  }

  @Test
  void oneOddityOfManyCpusIsOneNote() {
    Machine machine = Machine.recorded(directory, "opteron-8350-4x4");
    for (int cpu = 0; cpu < 16; cpu++) {
      machine.cpu(cpu, "cache/index3/level", "three");
    }
    Topology topology = machine.topology();
    assertEquals(
        List.of("a cache ignored: its level is missing or senseless (CPU 0-15)"), topology.notes());
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 1));
  }

  @Test
  void cacheNumberStandsInForTheList() {
    Machine machine = Machine.recorded(directory, "opteron-8350-4x4");
    for (int cpu = 0; cpu < 16; cpu++) {
      machine.delete(machine.sys, "devices/system/cpu/cpu" + cpu + "/cache/index3/shared_cpu_list");
      machine.cpu(cpu, "cache/index3/id", Integer.toString(cpu / 4));
    }
    Topology topology = machine.topology();
    assertEquals(Topology.SHARES_L3, topology.distance(0, 3));
    assertEquals(Topology.SHARES_L3, topology.distance(4, 7));
    assertEquals(Topology.OTHER_PACKAGE, topology.distance(3, 4));
  }

  /** One CPU claims a company that the other denies. */
  @Test
  void contradictingSharersShareNothing() {
    Machine machine = Machine.recorded(directory, "cloud-vm-2");
    machine.cpu(1, "cache/index3/shared_cpu_list", "1");
    Topology topology = machine.topology();
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 1));
    assertEquals(Topology.SAME_PACKAGE, topology.distance(1, 0));
  }

  @Test
  void coreNumberStandsInForTheSiblings() {
    Machine machine = new Machine(directory);
    machine.write(machine.sys, ONLINE, "0-3");
    for (int cpu = 0; cpu < 4; cpu++) {
      machine.cpu(cpu, "topology/physical_package_id", Integer.toString(cpu / 2));
      machine.cpu(cpu, "topology/core_id", "0");
    }
    Topology topology = machine.topology();
    assertEquals(Topology.SHARES_L1, topology.distance(0, 1));
    assertEquals(Topology.OTHER_PACKAGE, topology.distance(1, 2));
    assertEquals(0, topology.cacheDomain(1));
  }

  /** Modules of some processors share the instruction cache, not the data cache. */
  @Test
  void sharedInstructionCacheDoesNotCount() {
    Machine machine = Machine.recorded(directory, "cloud-vm-2");
    machine.cpu(0, "cache/index1/shared_cpu_list", "0-1");
    machine.cpu(1, "cache/index1/shared_cpu_list", "0-1");
    assertEquals(Topology.SHARES_L3, machine.topology().distance(0, 1));
  }

  /** A cache beyond L3 says no more than the package does. */
  @Test
  void cachesBeyondL3AreIgnored() {
    Machine machine = Machine.recorded(directory, "cloud-vm-2");
    machine.cpu(0, "cache/index3/level", "4");
    machine.cpu(1, "cache/index3/level", "4");
    Topology topology = machine.topology();
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 1));
    assertEquals(List.of(), topology.notes());
  }

  /** Low-power cores beside an L3 of which they have no part. */
  @Test
  void coresWithoutL3HaveTheirOwnDomain() {
    Machine machine = Machine.recorded(directory, "hybrid-laptop-16");
    for (int cpu = 0; cpu < 16; cpu++) {
      if (cpu < 12) {
        machine.cpu(cpu, "cache/index3/shared_cpu_list", "0-11");
      } else {
        machine.delete(machine.sys, "devices/system/cpu/cpu" + cpu + "/cache/index3");
      }
    }
    Topology topology = machine.topology();
    assertEquals(0, topology.cacheDomain(11));
    assertEquals(12, topology.cacheDomain(15));
    assertEquals(Topology.SHARES_L2, topology.distance(12, 15));
    assertEquals(Topology.SAME_PACKAGE, topology.distance(11, 12));
  }

  @Test
  void unknownPackageGivesWayToTheNode() {
    Machine machine = Machine.recorded(directory, "arm-server-2x32");
    machine.cpu(0, "topology/physical_package_id", "99999999999");
    Topology topology = machine.topology();
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 1));
    assertEquals(Topology.OTHER_PACKAGE, topology.distance(0, 32));
  }

  @Test
  void senselessNodeIsNoted() {
    Machine machine = Machine.recorded(directory, "vm-packages-of-one");
    machine.write(machine.sys, "devices/system/node/node1/cpulist", "two");
    Topology topology = machine.topology();
    assertNoted(topology, "NUMA node 1 ignored");
    assertEquals(Topology.SAME_PACKAGE, topology.distance(2, 3));
  }

  @ParameterizedTest
  @CsvSource({
    "48K, 49152",
    "6144K, 6291456",
    "12M, 12582912",
    "1G, 1073741824",
    "512, 512",
    "0K, -1",
    "-5K, -1",
    "K, -1",
    "big, -1",
    "'', -1",
    "99999999999999999K, -1",
    "9223372036854775807G, -1",
  })
  void parsesSizes(String text, long bytes) {
    assertEquals(bytes, TopologyReader.parseSize(text));
  }

  @Test
  void unknownSizeKeepsTheSharing() {
    Machine machine = Machine.recorded(directory, "xeon-e5410-2x4");
    machine.cpu(0, "cache/index2/size", "?");
    machine.delete(machine.sys, "devices/system/cpu/cpu4/cache/index2/size");
    Topology topology = machine.topology();
    assertEquals(Topology.SHARES_L2, topology.distance(0, 4));
    assertEquals(-1, topology.privateL2Bytes(4));
    assertTrue(topology.describe().contains("L2 of unknown size: 0,4"), topology::describe);
  }

  /** Files garbled, emptied, removed or turned into directories at random. */
  @Test
  void noGarblingMakesReadingFail() throws IOException {
    List<String> texts =
        List.of(
            "", "\0", "-1", "0", "0-", "1", "0-1", "1-63", "99999999999", "Data", "K", "\uFFFF");
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      Machine machine = Machine.recorded(directory.resolve("seed" + seed), "cloud-vm-2");
      List<Path> files;
      try (Stream<Path> walk = Files.walk(machine.sys)) {
        files = walk.filter(Files::isRegularFile).sorted().toList();
      }
      for (int i : IntStream.range(0, 8).map(unused -> random.nextInt(files.size())).toArray()) {
        Path file = files.get(i);
        Files.deleteIfExists(file);
        switch (random.nextInt(6)) {
          case 0 -> {}
          case 1 -> Files.createDirectory(file);
          case 2 -> {
            byte[] noise = new byte[20];
            random.nextBytes(noise);
            Files.write(file, noise);
          }
          default ->
              Files.write(
                  file, texts.get(random.nextInt(texts.size())).getBytes(StandardCharsets.UTF_8));
        }
      }
      Invariants.check(machine.topology());
    }
  }

  private static void assertNoted(Topology topology, String note) {
    assertTrue(
        topology.notes().stream().anyMatch(line -> line.contains(note)),
        () -> note + " in " + topology.notes());
    assertTrue(topology.describe().contains(note), topology::describe);
  }
}

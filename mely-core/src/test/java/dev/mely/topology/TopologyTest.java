package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Recorded machines (requirement B4; Mely, ICDCS'10, sections III-A and IV-B a). */
class TopologyTest {
  static final List<String> RECORDED = Machine.RECORDED;

  @TempDir private Path directory;

  /** The paper's machine: neighbors share an L2; then the package; then the rest. */
  @Test
  void xeonOfThePaper() {
    Topology topology = read("xeon-e5410-2x4");
    assertEquals("0 5 4 5 2 5 4 5", distances(topology, 0));
    assertEquals("5 4 5 0 5 4 5 2", distances(topology, 3));
    assertEquals(6L << 20, topology.l2Bytes(7));
    assertEquals(3L << 20, topology.privateL2Bytes(7));
    assertEquals("0 1 2 3 0 1 2 3", domains(topology));
    assertEquals(List.of(), topology.notes());
  }

  /** The paper's AMD machine: L3 shared by groups of four, nothing between groups. */
  @Test
  void opteronOfThePaper() {
    Topology topology = read("opteron-8350-4x4");
    assertEquals("5 5 5 5 3 0 3 3 5 5 5 5 5 5 5 5", distances(topology, 5));
    assertEquals(512L << 10, topology.l2Bytes(5));
    assertEquals(512L << 10, topology.privateL2Bytes(5));
    assertEquals("0 0 0 0 4 4 4 4 8 8 8 8 12 12 12 12", domains(topology));
  }

  @Test
  void cloudMachineSharesOnlyTheL3() {
    Topology topology = read("cloud-vm-2");
    assertEquals("0 3", distances(topology, 0));
    assertTrue(sharesCache(topology, 0, 1));
    assertEquals(1L << 20, topology.privateL2Bytes(1));
  }

  @Test
  void hybridLaptopHasBothKindsOfCore() {
    Topology topology = read("hybrid-laptop-16");
    assertEquals("0 1 3 3 3 3 3 3 3 3 3 3 3 3 3 3", distances(topology, 0));
    assertEquals("3 3 3 3 3 3 3 3 2 2 2 0 3 3 3 3", distances(topology, 11));
    assertEquals(1280L << 10, topology.l2Bytes(1));
    assertEquals(640L << 10, topology.privateL2Bytes(1));
    assertEquals(512L << 10, topology.privateL2Bytes(8));
  }

  @Test
  void severalL3sInOnePackage() {
    Topology topology = read("epyc-16-smt");
    assertEquals("3 0 3 3 4 4 4 4 3 1 3 3 4 4 4 4", distances(topology, 1));
    assertFalse(sharesCache(topology, 1, 4));
    assertEquals(4, topology.cacheDomain(15));
  }

  @Test
  void armServerWithoutCachesIsOrderedByPackage() {
    Topology topology = read("arm-server-2x32");
    assertEquals(Topology.SAME_PACKAGE, topology.distance(0, 31));
    assertEquals(Topology.OTHER_PACKAGE, topology.distance(31, 32));
    assertEquals(-1, topology.l2Bytes(0));
    assertEquals(-1, topology.privateL2Bytes(0));
    assertEquals(33, topology.cacheDomain(33));
    assertTrue(topology.notes().toString().contains("no cache known"), topology::describe);
  }

  @Test
  void armBoardThatTellsNothingIsFlat() {
    assertEquals("4 4 0 4", distances(read("arm-board-4"), 2));
  }

  @Test
  void offlineCpusAreLeftOut() {
    Topology topology = read("offline-holes");
    assertArrayEquals(new int[] {0, 3, 4, 6, 7}, topology.cpus());
    assertEquals("0 3 5 5 5", distances(topology, 0));
    assertEquals("5 5 3 0 1", distances(topology, 6));
    assertEquals(Topology.OTHER_PACKAGE, topology.distance(0, 1));
    assertEquals(Topology.SAME_CPU, topology.distance(1, 1));
    assertEquals(-1, topology.cacheDomain(5));
    assertEquals(-1, topology.l2Bytes(5));
  }

  /** Package numbers that tell nothing give way to the NUMA node. */
  @Test
  void packagesOfOneCpuTellNothing() {
    Topology topology = read("vm-packages-of-one");
    assertEquals("0 4 5 5", distances(topology, 0));
    assertFalse(sharesCache(topology, 0, 1));
  }

  @Test
  void flatMachinePrefersNobody() {
    Topology topology = Topology.flat(3);
    assertArrayEquals(new int[] {0, 1, 2}, topology.cpus());
    assertEquals("4 0 4", distances(topology, 1));
    assertEquals("0 1 2", domains(topology));
    assertEquals(-1, topology.privateL2Bytes(0));
    assertArrayEquals(new int[] {0}, Topology.flat(1).cpus());
    assertThrows(IllegalArgumentException.class, () -> Topology.flat(0));
  }

  @ParameterizedTest
  @FieldSource("RECORDED")
  void distanceOrdersTheMachine(String name) {
    Invariants.check(read(name));
  }

  private static boolean sharesCache(Topology topology, int a, int b) {
    return topology.distance(a, b) <= Topology.SHARES_L3;
  }

  /** On a machine that does not contradict itself, the domain is exactly who shares a cache. */
  @ParameterizedTest
  @FieldSource("RECORDED")
  void domainsAreTheSharedCaches(String name) {
    Topology topology = read(name);
    for (int a : topology.cpus()) {
      for (int b : topology.cpus()) {
        assertEquals(
            sharesCache(topology, a, b),
            topology.cacheDomain(a) == topology.cacheDomain(b),
            () -> a + " and " + b + " on " + name);
      }
    }
  }

  @Test
  void describesWhoSharesWhat() {
    assertEquals(
        """
        8 CPUs (0-7), 8 cores, 2 packages, 1 NUMA node
          package 0, node 0, CPU 0,2,4,6
            L1 32 KiB: 0 | 2 | 4 | 6
            L2 6 MiB: 0,4 | 2,6
          package 1, node 0, CPU 1,3,5,7
            L1 32 KiB: 1 | 3 | 5 | 7
            L2 6 MiB: 1,5 | 3,7\
        """,
        read("xeon-e5410-2x4").describe());
  }

  @Test
  void describesSiblingsAndSizes() {
    assertEquals(
        """
        16 CPUs (0-15), 12 cores, 1 package, 1 NUMA node
          package 0, node 0, CPU 0-15
            cores: 0-1 | 2-3 | 4-5 | 6-7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15
            L1 32 KiB: 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15
            L1 48 KiB: 0-1 | 2-3 | 4-5 | 6-7
            L2 1280 KiB: 0-1 | 2-3 | 4-5 | 6-7
            L2 2 MiB: 8-11 | 12-15
            L3 18 MiB: 0-15\
        """,
        read("hybrid-laptop-16").describe());
  }

  @Test
  void describesWhatIsUnknown() {
    Topology topology = read("arm-board-4");
    assertEquals("4 CPUs (0-3), 4 cores", topology.toString());
    assertEquals(topology + "\n  CPU 0-3\n  note: " + topology.notes().get(0), topology.describe());
  }

  private Topology read(String name) {
    return Machine.recorded(directory, name).topology();
  }

  private static String distances(Topology topology, int from) {
    return join(Arrays.stream(topology.cpus()).map(to -> topology.distance(from, to)));
  }

  private static String domains(Topology topology) {
    return join(Arrays.stream(topology.cpus()).map(topology::cacheDomain));
  }

  private static String join(IntStream numbers) {
    return String.join(" ", numbers.mapToObj(Integer::toString).toList());
  }
}

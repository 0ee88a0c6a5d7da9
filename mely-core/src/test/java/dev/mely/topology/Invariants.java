package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;

/** What holds of every topology, however odd the machine. */
final class Invariants {
  private Invariants() {}

  static void check(Topology topology) {
    int[] cpus = topology.cpus();
    assertTrue(cpus.length > 0, "no CPU");
    for (int a : cpus) {
      for (int b : cpus) {
        int distance = topology.distance(a, b);
        assertEquals(distance, topology.distance(b, a), () -> "symmetry of " + a + " and " + b);
        assertEquals(a == b, distance == Topology.SAME_CPU, () -> a + " and " + b);
        assertTrue(distance >= Topology.SAME_CPU && distance <= Topology.OTHER_PACKAGE);
      }
      int domain = topology.cacheDomain(a);
      assertTrue(IntStream.of(cpus).anyMatch(cpu -> cpu == domain), () -> domain + " of " + a);
      assertTrue(topology.privateL2Bytes(a) <= topology.l2Bytes(a));
      assertTrue(topology.l2Bytes(a) == -1 || topology.l2Bytes(a) > 0);
    }
    assertFalse(topology.describe().isBlank());
  }
}

package dev.mely.topology;

import org.jspecify.annotations.Nullable;

/**
 * One CPU as the kernel describes it.
 *
 * @param number the kernel's number, 0 or more
 * @param packageId number of the physical package, -1 if unknown
 * @param node number of the NUMA node, -1 if unknown
 * @param core the lowest number among this CPU and its SMT siblings
 * @param l1 data or unified cache of level 1, null if unknown
 * @param l2 data or unified cache of level 2, null if unknown
 * @param l3 data or unified cache of level 3, null if unknown
 */
record Cpu(
    int number,
    int packageId,
    int node,
    int core,
    @Nullable Cache l1,
    @Nullable Cache l2,
    @Nullable Cache l3) {

  /** Returns the cache of a level from 1 to 3, null if unknown. */
  @Nullable Cache cache(int level) {
    return switch (level) {
      case 1 -> l1;
      case 2 -> l2;
      default -> l3;
    };
  }
}

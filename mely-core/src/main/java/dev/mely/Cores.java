package dev.mely;

/**
 * The cores of one runtime, and for each of them the others from near to far: the order in which
 * they are called to steal from it. Never changes.
 */
final class Cores {
  private final Core[] all;
  private final Core[][] neighbors;

  /**
   * @param all by number
   * @param neighbors by number of a core: all others, the nearest first
   */
  Cores(Core[] all, Core[][] neighbors) {
    this.all = all;
    this.neighbors = neighbors;
  }

  int count() {
    return all.length;
  }

  /** The number is not checked: thieves ask with each visit. */
  Core core(int index) {
    return all[index];
  }

  /** All cores but that one, the nearest first. */
  Core[] neighbors(Core core) {
    return neighbors[core.index];
  }
}

package dev.mely.bench.baseline;

/**
 * What Java programs use instead of colors: a {@link Crew} of threads, and colors that do not
 * belong to a thread.
 *
 * @param <C> type of a color
 */
abstract class Peer<C> implements Contestant<C> {
  final Crew crew;
  private final int cores;

  /**
   * @param cores number of workers, 1 or more
   * @param pinned whether each has a CPU of its own
   */
  Peer(int cores, boolean pinned) {
    this.cores = cores;
    this.crew = new Crew(cores, pinned);
  }

  @Override
  public final int cores() {
    return cores;
  }

  /** Colors cannot be pinned here. */
  @Override
  public final C newPinnedColor(int core) {
    return newColor(core);
  }

  @Override
  public Worker worker() {
    return Crew.current();
  }

  @Override
  public final long counted() {
    return crew.counted();
  }

  @Override
  public Figures figures() {
    return Figures.ofBytes(crew.bytes());
  }
}

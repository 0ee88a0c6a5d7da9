package dev.mely.bench.baseline;

/**
 * What Java programs use in place of colors: a {@link Crew} of threads, and colors that have no
 * place among them.
 *
 * @param <C> what stands for a color
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

  /** None can be pinned. */
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

package dev.mely;

/**
 * An event that has to do with permissions. Its batch ends with it, and what happens to colors then
 * is its own affair: workers know no more about it than this.
 */
abstract class Permit extends SpecialEvent {
  Permit(Handler<?> handler) {
    super(handler);
  }

  /** What its handler may read or write beside the color in which it runs. */
  abstract Object[] holds();

  /** Its handler has thrown. */
  abstract void failed(Throwable why);

  /** Whether the color in which it was is its own from the end of the batch. */
  abstract boolean keepsColor();

  /** The batch is over. The core's worker. */
  abstract void after(Color color);

  /** It has been taken from its color and will never run. Any thread. */
  abstract void dropped();
}

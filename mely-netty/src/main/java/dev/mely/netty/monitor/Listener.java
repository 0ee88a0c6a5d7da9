package dev.mely.netty.monitor;

/** Somebody who looks. Told by the {@link Sampler}; must not block. */
interface Listener {
  /**
   * A second is over.
   *
   * @param json the figures, see {@link Figures}
   */
  void tell(String json);

  /** Nothing follows: the monitor was closed. */
  void ended();
}

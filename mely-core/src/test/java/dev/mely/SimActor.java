package dev.mely;

/** Something that can make a step in a {@link Schedule}. */
interface SimActor {
  /** Whether it could make one now. */
  boolean isReady();

  /** Makes one action on shared memory. */
  void step();
}

package dev.mely;

/** The states of a {@link Worker}, whose class comment has the picture. */
final class WorkerState {
  /** About to take a color from the core-queue. */
  static final int PICK = 0;

  /** About to run the next event of the color that the worker holds. */
  static final int RUN = 1;

  /** The batch is over: about to release the color, or to put it back into a core-queue. */
  static final int FINISH = 2;

  /** About to look for external events and due timers, between two colors. */
  static final int POLL = 3;

  /** About to look at the next entry of a victim. */
  static final int SEARCH = 4;

  /** About to say that the worker is parked. */
  static final int PUBLISH = 5;

  /** About to look again for work, after having said so. */
  static final int RECHECK = 6;

  /** About to wait in the poller. */
  static final int PARK = 7;

  /** The wait is over. */
  static final int WAKE = 8;

  /** The worker has left. */
  static final int EXIT = 9;

  private WorkerState() {}
}

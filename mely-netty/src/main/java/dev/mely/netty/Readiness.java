package dev.mely.netty;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * State of the readiness event of one channel, from the report by the I/O handler to the end of its
 * handling in the channel's color. Each {@link Registration}, which is that event, has one.
 *
 * <pre>
 *              reported: post to the color
 *     IDLE ----------------------------------> IN_FLIGHT --+
 *      ^ ^            (section)                 |          | about to wait: mask
 *      | |                                      |          | (section, monitor)
 *      | +--- handled (color) ------------------+          v
 *      +----- handled: re-arm (color, monitor) --------- MASKED
 * </pre>
 *
 * <p>Only the section changes IDLE to another state; only the color sets IDLE again. A report that
 * comes in another state is dropped: the transports are level-triggered and report it again. So a
 * channel that is not masked costs one uncontended compare-and-set, no lock and no system call.
 * Masking and re-arming exclude each other by the monitor; otherwise a late mask could undo the
 * re-arming, and the channel would never be reported again.
 *
 * <p>While it is MASKED, a change of the channel's interest ({@link Registration#submit}) is only
 * stored, and submitted when the channel is re-armed. A submission that overtakes a mask unmasks
 * too early, which costs a dropped report and nothing else.
 */
@SuppressWarnings("UnusedVariable") // a field that is touched through its VarHandle alone
final class Readiness {
  /** The channel and its I/O handler, as far as masking and re-arming need them. */
  interface Source {
    /** Whether the channel is interested in any operation. Otherwise there is nothing to mask. */
    boolean isInterested();

    /** Tells the I/O handler to report nothing. Monitor of the readiness held. */
    void submitMask();

    /** Tells the I/O handler the channel's interest of now. Monitor of the readiness held. */
    void submitInterest();

    /** Whether the channel has left the I/O handler, or this one is closed. */
    boolean isOver();

    /** Whether the I/O handler takes submissions. */
    boolean isValid();

    /** Closes the channel. */
    void close();
  }

  private static final int IDLE = 0;
  private static final int IN_FLIGHT = 1;
  private static final int MASKED = 2;

  /**
   * How many reports are dropped before the channel is masked in a poll that does not wait. To mask
   * and to re-arm takes two system calls; one more report costs one turn in a poll that is made
   * anyway. A channel that only waits for its core is nearly always served before so many polls.
   */
  static final int MAX_DROPPED = 16;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Readiness.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Source source;
  private int state;

  /** Section only; at most {@link #MAX_DROPPED}. */
  private byte dropped;

  Readiness(Source source) {
    this.source = source;
  }

  // ---- Section

  /**
   * The I/O handler reports readiness. True: it is now in flight, and the caller stores the ready
   * operations and posts the event. False: the report is dropped.
   */
  boolean claim() {
    int s = (int) STATE.getAcquire(this);
    if (s == IDLE) {
      dropped = 0;
      STATE.setOpaque(this, IN_FLIGHT);
      return true;
    }
    if (s == IN_FLIGHT && ++dropped >= MAX_DROPPED) {
      mask(); // it waits long for its core: no more reports with every poll
    }
    return false;
  }

  boolean isInFlight() {
    return (int) STATE.getAcquire(this) == IN_FLIGHT;
  }

  /** Stops reports until the event has been handled. */
  void mask() {
    synchronized (this) {
      if (!source.isInterested() || !STATE.compareAndSet(this, IN_FLIGHT, MASKED)) {
        return;
      }
      try {
        source.submitMask();
      } catch (RuntimeException e) {
        // The color is closing the channel at this moment.
      }
    }
  }

  // ---- Color

  /** The channel has been served, or could not be: if it is still ready, it is reported again. */
  void handled() {
    if (!STATE.compareAndSet(this, IN_FLIGHT, IDLE)) {
      rearm();
    }
  }

  /** Rare where cores are evenly loaded. */
  private void rearm() {
    synchronized (this) {
      STATE.setRelease(this, IDLE);
      if (source.isOver()) {
        return;
      }
      try {
        source.submitInterest();
      } catch (RuntimeException e) {
        if (source.isValid()) {
          source.close(); // else it would stay open and never be reported again
          throw e;
        }
      }
    }
  }

  /** Whether a change of interest must wait until the event has been handled. */
  boolean isMasked() {
    return (int) STATE.getAcquire(this) == MASKED;
  }
}

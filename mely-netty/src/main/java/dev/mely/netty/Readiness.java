package dev.mely.netty;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What an I/O handler reports of one channel, on its way into the channel's color and back: a
 * {@link Registration} has one, and is itself the event that is posted.
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
 * <p>Only the poll section leaves IDLE, only the color enters it. Readiness that is reported while
 * it is not IDLE is dropped: the transports are level-triggered and report it again. So the handler
 * of an unmasked channel takes one uncontended compare-and-set, no lock and no system call. Masking
 * and re-arming exclude each other through the monitor, else a late mask could undo the re-arming
 * and the channel would sleep for good.
 *
 * <p>What the channel wants to hear of ({@link Registration#submit}) is remembered while MASKED and
 * submitted when it is re-armed. A submission that overtakes a mask unmasks early, which costs a
 * dropped report, nothing else.
 */
@SuppressWarnings("UnusedVariable") // a field that is touched through its VarHandle alone
final class Readiness {
  /** Whose readiness it is: a channel's wishes, and the I/O handler that is told of them. */
  interface Source {
    /** The channel wants to hear of something. Otherwise there is nothing to mask. */
    boolean isInterested();

    /** Tells the handler to report nothing. Monitor of the readiness held. */
    void submitMask();

    /** Tells the handler what the channel wants to hear of now. Monitor of the readiness held. */
    void submitInterest();

    /** Nothing is to be reported any more. */
    boolean isOver();

    /** Whether the handler takes submissions. */
    boolean isValid();

    /** The channel is to close. */
    void close();
  }

  private static final int IDLE = 0;
  private static final int IN_FLIGHT = 1;
  private static final int MASKED = 2;

  /**
   * Reports that may be dropped in flight before it is masked in a poll without wait. To mask and
   * to arm again takes two system calls; to be reported once more, one turn in a poll that is made
   * anyway. What waits for its core alone is nearly always served before so many polls.
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

  /** Section only; no more than {@link #MAX_DROPPED}. */
  private byte dropped;

  Readiness(Source source) {
    this.source = source;
  }

  // ---- Section

  /**
   * The handler reports readiness. True: it is now in flight; the caller notes what is ready and
   * then posts it to the color.
   */
  boolean claim() {
    int s = (int) STATE.getAcquire(this);
    if (s == IDLE) {
      dropped = 0;
      STATE.setOpaque(this, IN_FLIGHT);
      return true;
    }
    if (s == IN_FLIGHT && ++dropped >= MAX_DROPPED) {
      mask(); // long in its queue: no use hearing of it with every poll
    }
    return false;
  }

  boolean isInFlight() {
    return (int) STATE.getAcquire(this) == IN_FLIGHT;
  }

  /** Tells the handler to keep quiet until the event has been handled. */
  void mask() {
    synchronized (this) {
      if (!source.isInterested() || !STATE.compareAndSet(this, IN_FLIGHT, MASKED)) {
        return;
      }
      try {
        source.submitMask();
      } catch (RuntimeException e) {
        // The channel is being closed by its color at this moment.
      }
    }
  }

  // ---- Color

  /** The channel has been served, or cannot be now: what is ready then is reported again. */
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
          source.close(); // it would never hear of anything again
          throw e;
        }
      }
    }
  }

  /** Whether a submission must wait until the event has been handled. */
  boolean isMasked() {
    return (int) STATE.getAcquire(this) == MASKED;
  }
}

package dev.mely.netty;

import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.netty.memory.ReadGate;
import dev.mely.netty.memory.WorkingSet;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Whether a channel's reads may go on, where a group has a {@link WorkingSet}. What is written,
 * flushed, scheduled or closed always goes on: it frees memory, or takes none.
 *
 * <pre>
 *                ready to read, no room                      the gate's turn: an event in the color
 *   ADMITTED ------------------------------> PUT_OFF ---------------------------------------+
 *      ^                                        ^                                           |
 *      |                                        | ready to read, no room: head of the line  v
 *      +---- ready to read: room, or regardless-+---------------------------------------- TRIED
 * </pre>
 *
 * <p>While it is PUT_OFF, the channel's interest in reads is kept from the I/O handler, so that a
 * poll that waits does wait; all else that the channel wants to hear of is reported as ever. Both
 * transports are level-triggered: what was ready is reported again when the interest is back. So
 * nothing needs to be kept of what was put off, and nothing is lost, whatever happens in between:
 * the channel turns {@code autoRead} off or on (its interest is remembered, see {@link
 * Registration}), is closed (the gate drops it at its turn), or moves to another core (whose memory
 * is then asked). Errors and hang-ups are served at once, with what is left to be read.
 *
 * <p>A channel that was let through regardless goes on reading until another one is, if its own
 * output does not pile up: one whose client sends and does not read gets no more than a single turn
 * each time.
 *
 * <p>Confined to the color of the channel, except for what {@link ReadGate} calls.
 */
final class Reads extends Event implements ReadGate.Waiter {
  private static final int ADMITTED = 0;
  private static final int PUT_OFF = 1;
  private static final int TRIED = 2;

  private static final Handler<Reads> AGAIN = new Again();

  private final WorkingSet set;
  private final Registration registration;
  private final Channel channel;

  /** Written by the color. */
  private volatile int state = ADMITTED;

  /** The next read goes on whatever there is. Set by the gate, taken back by the color. */
  private volatile boolean regardless;

  /** Where it was put off last. */
  private volatile @Nullable ReadGate gate;

  Reads(WorkingSet set, Registration registration, Channel channel) {
    super(false); // takes no room among the pending events: it is one for each channel
    this.set = set;
    this.registration = registration;
    this.channel = channel;
  }

  boolean isPutOff() {
    return state == PUT_OFF;
  }

  /**
   * The channel is ready to read.
   *
   * @return false: not now. From here on its interest does not count; then call {@link #putOff}
   */
  boolean mayGoOn() {
    if (set.hasRoom() || regardless || isFavored()) {
      regardless = false;
      return true;
    }
    return false;
  }

  private boolean isFavored() {
    ReadGate last = gate;
    return last != null && last.isFavored(this) && channel.isWritable();
  }

  /** Not now: into the line of the core that runs the channel at this moment. */
  void putOff() {
    ReadGate here = set.gate(); // first: it may need memory
    boolean first = state == TRIED;
    state = PUT_OFF;
    try {
      registration.submitInterestNow();
      gate = here;
      here.putOff(this, first);
    } catch (Throwable t) {
      state = ADMITTED; // it may be in no line, and would never read again
      throw t;
    }
  }

  /** The channel has read: if there is still room, somebody else may be waiting for it. */
  void hasRead() {
    if (state == TRIED) {
      state = ADMITTED;
      lookForNext();
    }
  }

  private void lookForNext() {
    ReadGate last = gate;
    if (last != null) {
      last.run();
    }
  }

  private void again() {
    state = TRIED;
    if (registration.isOver() || !registration.wantsReads()) {
      state = ADMITTED;
      lookForNext(); // this one has no use for the room
    }
    registration.submitInterestNow();
  }

  /** Memory has run out as the color was to be queued, or the group ends: back into the line. */
  private void dropped() {
    ReadGate last = gate;
    if (last != null && !isOver()) {
      last.putOff(this, true);
    }
  }

  /** The gate's turn, as an event of the channel's color. */
  private static final class Again extends Handler<Reads> {
    @Override
    public void handle(Reads reads) {
      reads.again();
    }

    @Override
    protected void rejected(Reads reads) {
      reads.dropped();
    }
  }

  // ---- The gate

  @Override
  public boolean isOver() {
    return registration.isOver();
  }

  @Override
  public void tryAgain(boolean newRegardless) {
    regardless |= newRegardless;
    registration.loop.post(AGAIN, this);
  }
}

package dev.mely;

import java.lang.invoke.VarHandle;

/**
 * Who has a color next that is held for events with permissions: readers, a writer, or a core.
 *
 * <pre>
 *                     ticket to write
 *   RUNNING -----------------------------------------> HELD
 *      |                                              |    ^
 *      | ticket to read        the grant has ended    |    | n = 0, a ticket to write
 *      |                +-----------------------------+    | is next
 *      |                v                                  |
 *      +-------------> ADMITTING(n) -----------------------+--> QUEUED or IDLE: n = 0,
 *   IDLE ------------>  |       ^                                 a plain event, nothing
 *          a ticket     |       |
 *       no more reader |       | a reader has come, or the last one has left
 *        and n > 0     v       |
 *                      SHARED(n)
 * </pre>
 *
 * <p>While a color is held, no core has it and no thief can take it: for them it is neither queued
 * nor running, and producers just append. ADMITTING is what RUNNING is elsewhere: the thread that
 * has brought the color there is alone at its mailbox, and lets in the readers that are next. n
 * counts those that hold the color, in the state's own word ({@link Color}).
 *
 * <p>Nobody is forgotten: a reader that registers links its ticket, then looks for SHARED; a thread
 * that leaves ADMITTING stores SHARED, then looks for a ticket, with a full fence on both sides.
 * What is not a reader waits until the last one leaves, who finds n = 0 and passes the color on.
 *
 * <p>Any thread.
 */
final class HandOver {
  private final Scheduler scheduler;
  private final Ticket.Owner owner;

  /**
   * @param owner told of the tickets for which a color is held
   */
  HandOver(Scheduler scheduler, Ticket.Owner owner) {
    this.scheduler = scheduler;
    this.owner = owner;
  }

  /** The batch of a color has come to a ticket, and is over: from RUNNING to HELD or SHARED. */
  void hold(Color color, Ticket ticket) {
    color.hold();
    if (ticket.reads) {
      color.admit();
      color.enterReader();
      owner.settle(ticket, true);
      admit(color);
    } else {
      owner.settle(ticket, true);
    }
  }

  /** A ticket is in the mailbox of a color that may be shared: it may be let in at once. */
  void joined(Color color) {
    VarHandle.fullFence(); // the link before, the state below
    if (color.joinReaders()) {
      admit(color);
    }
  }

  /** Lets in who is next, readers or a writer. The caller has brought the color to ADMITTING. */
  void admit(Color color) {
    do {
      if (admitNext(color)) {
        return; // a writer has it
      }
      if (!color.share()) {
        pass(color); // there are no readers left, and what is next wants a core
        return;
      }
      VarHandle.fullFence(); // the state above, the link below
    } while (color.nextHandler() == Ticket.READ && color.canTake() && color.joinReaders());
  }

  /** Returns whether a writer has been let in; else readers have, or nobody. */
  private boolean admitNext(Color color) {
    while (true) {
      Handler<?> next = color.nextHandler();
      boolean reads = next == Ticket.READ && color.hasRoomForReader();
      if (!reads && (next != Ticket.WRITE || color.hasReaders())) {
        return false;
      }
      Ticket ticket = (Ticket) color.take();
      if (ticket == null) {
        return false; // a producer is about to link its event
      }
      left(color, ticket);
      if (!reads) {
        color.hold();
        owner.settle(ticket, true);
        return true;
      }
      color.enterReader();
      owner.settle(ticket, true);
    }
  }

  /** A ticket has been taken outside of a batch. */
  private void left(Color color, Ticket ticket) {
    if (scheduler.policy.steals() && color.clearFirst() == 0) {
      color.addPending(-1, -scheduler.weigh(ticket));
    }
    leftRoom(color, ticket);
  }

  /** A ticket has been taken from a color, or has never been in its queue. */
  void leftRoom(Color color, Ticket ticket) {
    ticket.detach();
    if (scheduler.overload != null) {
      scheduler.overload.left(color, ticket);
    }
  }

  /** Nobody holds the color any more; it is the caller's: to a core-queue, or to IDLE. */
  private void pass(Color color) {
    if (!releaseIdle(color)) {
      scheduler.enqueue(color, scheduler.placement(color));
      scheduler.rejectIfClosed(color);
    }
  }

  /** Returns false if there are events, and the color is the caller's still. */
  private boolean releaseIdle(Color color) {
    if (color.hasPending()) {
      return false;
    }
    if (scheduler.policy.steals()) {
      color.settleWeight();
    }
    return color.release(color.core());
  }

  /** The event of a ticket that was granted is over: its color goes on. */
  void release(Ticket ticket) {
    Color color = ticket.color;
    if (!ticket.reads) {
      if (!releaseIdle(color)) {
        color.admit();
        admit(color);
      }
    } else if (color.leaveReader()) {
      admit(color);
    }
  }
}

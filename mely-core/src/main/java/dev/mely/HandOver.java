package dev.mely;

import java.lang.invoke.VarHandle;

/**
 * Decides what has a color next that is held for events with permissions: readers, a writer, or a
 * core.
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
 * <p>While a color is held, no core has it and no thief can take it: its state is neither QUEUED
 * nor RUNNING, and producers only append events. ADMITTING corresponds to RUNNING: the thread that
 * has brought the color to this state is the only consumer of its mailbox, and lets in the readers
 * that are next. n is the number of readers that hold the color, a part of the state word ({@link
 * Color}).
 *
 * <p>No reader is missed (Dekker pattern): a thread that registers a reader links its ticket, then
 * checks for SHARED; a thread that leaves ADMITTING stores SHARED, then checks for a ticket; with a
 * full fence between the two steps on both sides. Any other event waits for the last reader to
 * leave: the thread on which that one ends finds n = 0 and passes the color on.
 *
 * <p>Any thread.
 */
final class HandOver {
  private final Scheduler scheduler;
  private final Ticket.Owner owner;

  /**
   * @param owner is told of the tickets for which a color is held
   */
  HandOver(Scheduler scheduler, Ticket.Owner owner) {
    this.scheduler = scheduler;
    this.owner = owner;
  }

  /** A batch has ended at a ticket: the color goes from RUNNING to HELD or SHARED. */
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

  /**
   * A reader's ticket has been linked. If the color is shared now, the reader is let in at once.
   */
  void joined(Color color) {
    VarHandle.fullFence(); // the link before, the state below
    if (color.joinReaders()) {
      admit(color);
    }
  }

  /** Lets in the next readers or the next writer. The caller has brought the color to ADMITTING. */
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
    } while (color.nextHandler() == Ticket.READ
        && !scheduler.pauses.isPaused(color)
        && color.canTake()
        && color.joinReaders());
  }

  /**
   * Returns whether a writer has been let in. If not, it has let in as many readers as are next;
   * none if the color is paused.
   */
  private boolean admitNext(Color color) {
    while (!scheduler.pauses.isPaused(color)) {
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
    return false;
  }

  /** Does the accounts of a ticket that was taken outside of a batch. */
  private void left(Color color, Ticket ticket) {
    if (scheduler.policy.steals() && color.clearFirst() == 0) {
      color.addPending(-1, -scheduler.weigh(ticket));
    }
    leftRoom(color, ticket);
  }

  /** Frees the room of a ticket that was taken from a color, or has never been in its queue. */
  void leftRoom(Color color, Ticket ticket) {
    ticket.detach();
    if (scheduler.overload != null) {
      scheduler.overload.left(color, ticket);
    }
  }

  /** No event holds the color any more, and the caller has it: to a core-queue, or to IDLE. */
  private void pass(Color color) {
    if (!releaseIdle(color)) {
      scheduler.requeue(color);
    }
  }

  /** Returns false if there are events; then the caller still has the color. */
  private boolean releaseIdle(Color color) {
    if (color.hasPending()) {
      return false;
    }
    if (scheduler.policy.steals()) {
      color.settleWeight();
    }
    return color.release(color.core());
  }

  /** The event of a granted ticket is over: releases the color. */
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

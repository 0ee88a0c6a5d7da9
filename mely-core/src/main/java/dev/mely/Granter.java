package dev.mely;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Grants colors to events that ask for several, or for one together with other readers. An event
 * that writes one color does not come here, and pays nothing for permissions.
 *
 * <p>A {@link Grant} has a {@link Ticket} in the queue of each of its colors. If the color is idle,
 * the registering thread takes the ticket at once; a ticket to write need not even enter the queue
 * (the color goes from IDLE to HELD, and back if no event has come: one compare-and-set each). If
 * the color is not idle, the ticket is taken in its turn: by a worker, which ends its batch there,
 * or by the thread on which an event that has held the color ends.
 *
 * <p>When an event that has held a color is over, {@link HandOver} decides which event has it next.
 *
 * <p>Any thread. Source: Eve, section 2; SPEC E1 to E4.
 */
final class Granter implements Ticket.Owner {
  /**
   * Events that the calling thread has rejected at the end of the runtime, and whose colors are
   * still to be released. A list in place of a recursion: a long chain of events that wait for each
   * other would overflow the stack.
   */
  private static final ThreadLocal<ArrayDeque<Grant>> ENDING = new ThreadLocal<>();

  private final Scheduler scheduler;
  private final Stripes stripes = new Stripes();
  private final HandOver handOver;

  Granter(Scheduler scheduler) {
    this.scheduler = scheduler;
    this.handOver = new HandOver(scheduler, this);
  }

  // ---- Registration

  /**
   * Checks that the colors are of this runtime, and that one core may run an event for all of them.
   *
   * @throws IllegalArgumentException if not
   */
  void check(Permissions asked) {
    for (Color color : asked.colors()) {
      scheduler.check(color);
    }
    asked.checkPins();
  }

  /**
   * Registers an event.
   *
   * @throws RejectedExecutionException after the end has begun, or if there is no room
   */
  void register(Permissions asked, Handler<?> handler, Object event) {
    Grant grant = new Grant(this, asked, handler, event, null);
    grant.waitFor(tickets(grant, null));
    grant.attachOwn();
    boolean takesRoom = !(event instanceof Event own) || own.takesRoom();
    try {
      scheduler.accept(asked.colors(), takesRoom);
    } catch (Throwable refused) {
      grant.detachOwn();
      throw refused;
    }
    if (takesRoom) {
      grant.accepted();
    }
    scheduler.registered(handler);
    append(grant, true);
  }

  /** Makes the tickets of a child, or of a timed event. */
  void prepare(Grant child, @Nullable Map<Color, Color> scope) {
    child.waitFor(tickets(child, scope));
  }

  /**
   * Registers a child that has been prepared.
   *
   * @param scoped whether its colors are private to the fork: then one thread appends to them, and
   *     its order is the same in all
   */
  void enter(Grant child, boolean scoped) {
    append(child, !scoped);
  }

  /**
   * Makes all tickets of an event, before the first is queued: after that, a lack of memory could
   * no longer be reported to the caller.
   *
   * @param scope the private color that stands for each color asked for, made as needed; null: the
   *     colors asked for are used themselves
   */
  private Ticket[] tickets(Grant grant, @Nullable Map<Color, Color> scope) {
    int size = grant.asked.size();
    Ticket[] tickets = size == 0 ? Grant.NONE : new Ticket[size];
    for (int i = 0; i < tickets.length; i++) {
      Color color = grant.asked.color(i);
      if (scope != null) {
        color = scope.computeIfAbsent(color, c -> scheduler.newColor(c.core(), c.isPinned()));
      }
      tickets[i] = new Ticket(this, grant, color, grant.asked.reads(i));
      tickets[i].attachAgain();
    }
    return tickets;
  }

  private void append(Grant grant, boolean othersAppend) {
    Ticket[] tickets = grant.tickets();
    if (tickets.length == 0) {
      post(grant);
      return;
    }
    boolean atOnce = othersAppend && tickets.length > 1;
    int held = 0;
    try {
      long locked = atOnce ? stripes.lock(grant.asked.colors()) : 0;
      try {
        for (Ticket ticket : tickets) {
          held += bring(ticket);
        }
      } finally {
        stripes.unlock(locked);
      }
      for (Ticket ticket : tickets) {
        arrived(ticket);
      }
      if (held == tickets.length) {
        post(grant); // no other thread has seen it
      } else if (held > 0) {
        settle(grant, held, tickets[0].color);
      }
    } catch (Throwable t) {
      scheduler.setTorn();
      throw t;
    }
  }

  /** Returns 1 if the color is held for the ticket at once, else 0. */
  private int bring(Ticket ticket) {
    Color color = ticket.color;
    if (!ticket.reads && !scheduler.pauses.isPaused(color) && color.holdIdle()) {
      ticket.arrival = Ticket.Arrival.HELD;
      ticket.granted = true;
      return 1;
    }
    Object previous = color.swap(ticket);
    if (previous == null) {
      ticket.arrival = Ticket.Arrival.INTO_IDLE;
    }
    color.link(previous, ticket);
    return 0;
  }

  private void arrived(Ticket ticket) {
    Color color = ticket.color;
    if (ticket.arrival == Ticket.Arrival.HELD) {
      handOver.leftRoom(color, ticket);
      return;
    }
    long weight = scheduler.weigh(ticket);
    if (ticket.arrival == Ticket.Arrival.INTO_IDLE) { // it is the caller's: no core need look at it
      if (scheduler.policy.steals()) {
        color.setFirstWeight(weight);
      }
      color.admit();
      handOver.admit(color);
    } else {
      scheduler.gained(color, weight);
      if (ticket.reads) {
        handOver.joined(color);
      }
    }
    scheduler.rejectIfClosed(color);
  }

  @Override
  public void hold(Color color, Ticket ticket) {
    handOver.hold(color, ticket);
  }

  // ---- Forks

  /** Holds the color of a plain event that has forked, for its children. */
  void hold(Color color, Children children) {
    color.hold();
    children.begin();
  }

  /**
   * Notes that the event that runs on a core has forked. The children begin when it is over.
   *
   * @throws IllegalStateException if it has forked already
   */
  void fork(Core core, Children children) {
    PermissionEvent running = core.batch.after();
    if (running instanceof Grant grant) {
      grant.fork(children);
      children.hold(grant.tickets());
    } else if (running == null) {
      children.hold(heldBy(children, core.batch.running()));
      core.batch.endWith(children);
    } else {
      throw new IllegalStateException("the handler has forked already");
    }
  }

  /** A ticket for the color of a plain event, as if the event had asked to write it. */
  private Ticket[] heldBy(Children children, Color color) {
    Ticket ticket = new Ticket(this, children, color, false);
    ticket.granted = true;
    return new Ticket[] {ticket};
  }

  /** Records for the stages that the running handler has registered an event, as a child. */
  void registered(Handler<?> handler) {
    scheduler.registered(handler);
  }

  /** The core of the calling thread; null: the thread is no worker. */
  @Nullable Core currentCore() {
    return scheduler.currentCore();
  }

  // ---- Grants

  /** A ticket has left its color: that is held for the grant now, or never will be. */
  @Override
  public void settle(Ticket ticket, boolean granted) {
    ticket.granted = granted;
    settle((Grant) ticket.grant, 1, ticket.color);
  }

  private void settle(Grant grant, int tickets, Color of) {
    if (grant.settled(tickets)) {
      if (grant.isComplete()) {
        post(grant);
      } else {
        grant.attachAgain();
        scheduler.rejection.rejectOne(of, grant);
      }
    }
  }

  /** All its colors are held: the event may run. */
  void post(Grant grant) {
    grant.attachAgain();
    scheduler.enterNew(grant.color, grant, coreFor(grant));
  }

  /** A color for one event: pinned if one of its own is. */
  Color newColor(Permissions asked) {
    for (Color color : asked.colors()) {
      if (color.isPinned()) {
        return scheduler.newColor(color.core(), true);
      }
    }
    return scheduler.newColor(0, false);
  }

  /**
   * The core at which an event waits that is not pinned: that of the first color that it writes, so
   * that such events are spread as their colors are. One that only reads waits at the calling core.
   */
  private Core coreFor(Grant grant) {
    for (Ticket ticket : grant.tickets()) {
      if (!ticket.reads) {
        return scheduler.core(ticket.color.core());
      }
    }
    Core current = scheduler.currentCore();
    return current == null ? scheduler.core(0) : current;
  }

  /** A sibling of the child has failed: its handler is told that it will not run. */
  void cancelled(Grant child, Object event) {
    Handler<?> handler = child.handler();
    if (handler != null) {
      tell(handler, event);
    }
  }

  @SuppressWarnings("unchecked") // as it was registered
  private void tell(Handler<?> handler, Object event) {
    scheduler.rejection.tell((Handler<Object>) handler, event);
  }

  /** The event has run, or never will: releases its colors, unless it has forked. */
  void end(Grant grant) {
    if (scheduler.phase() == Scheduler.CLOSED) {
      endAtEnd(grant);
    } else {
      endNow(grant);
    }
  }

  private void endAtEnd(Grant grant) {
    ArrayDeque<Grant> waiting;
    try {
      waiting = ENDING.get();
      if (waiting != null) {
        waiting.add(grant);
        return;
      }
      waiting = new ArrayDeque<>();
      ENDING.set(waiting);
    } catch (OutOfMemoryError e) {
      endNow(grant); // a recursion after all
      return;
    }
    try {
      for (Grant next = grant; next != null; next = waiting.poll()) {
        next.granter.endNow(next);
      }
    } finally {
      ENDING.remove();
    }
  }

  private void endNow(Grant grant) {
    Children parent = grant.parent();
    Throwable failure = grant.failure();
    if (parent != null && failure != null) {
      parent.childFailed(failure); // first: a sibling may be next in one of its colors
    }
    Children children = grant.children();
    if (children != null) {
      children.begin();
      return;
    }
    for (Ticket ticket : grant.tickets()) {
      if (ticket.granted) {
        handOver.release(ticket);
      }
    }
    if (parent != null) {
      parent.ended();
    }
  }
}

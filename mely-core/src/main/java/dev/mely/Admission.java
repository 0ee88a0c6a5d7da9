package dev.mely;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Lets events to the colors that they ask for: several at once, or one together with others that
 * read it. Events of one color that write it do not come here; to them nothing has changed.
 *
 * <p>An event that asks for more leaves a {@link Ticket} in the queue of each color. If the color
 * is idle, whoever registers the event takes the ticket at once; one to write need not even enter
 * the queue (from IDLE to HELD, and back if nothing has come: one compare-and-set each). If it is
 * not idle, whoever comes to the ticket takes it: a worker, which ends its batch there, or an event
 * that has held the color.
 *
 * <p>Who has a color next, when an event that has held it is over, is decided by {@link HandOver}.
 *
 * <p>Any thread. Source: Eve, section 2; SPEC E1 to E4.
 */
final class Admission implements Ticket.Owner {
  /**
   * Events that the calling thread has rejected at the end of the runtime, and whose colors go on
   * one after the other: a long row of events that wait for each other would overflow its stack.
   */
  private static final ThreadLocal<ArrayDeque<Grant>> ENDING = new ThreadLocal<>();

  private final Scheduler scheduler;
  private final Stripes stripes = new Stripes();
  private final HandOver handOver;

  Admission(Scheduler scheduler) {
    this.scheduler = scheduler;
    this.handOver = new HandOver(scheduler, this);
  }

  // ---- Registration

  /** Whether an event may ask for this here. */
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
    // A timer that is itself the event is one like any other here.
    boolean takesRoom =
        !(event instanceof Event own) || own instanceof SpecialEvent || own.takesRoom();
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

  /** Makes what a child waits with. */
  void prepare(Grant child, @Nullable Map<Color, Color> scope) {
    child.waitFor(tickets(child, scope));
  }

  /**
   * Registers a child that has been prepared.
   *
   * @param scoped whether nobody else has its colors: the order in which one thread appends is the
   *     order in all then
   */
  void enter(Grant child, boolean scoped) {
    append(child, !scoped);
  }

  /**
   * Makes what an event waits with, all of it: when its first ticket is in a queue, there is nobody
   * whom a lack of memory could be told.
   *
   * @param scope what stands for the colors that are asked for, made as needed; null: they for
   *     themselves
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
        post(grant); // nobody else has seen it
      } else if (held > 0) {
        settle(grant, held, tickets[0].color);
      }
    } catch (Throwable t) {
      scheduler.setTorn();
      throw t;
    }
  }

  /** Returns 1 if the color is held for the ticket at once, else 0. */
  private static int bring(Ticket ticket) {
    Color color = ticket.color;
    if (!ticket.reads && color.holdIdle()) {
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

  /** The handler of a plain event of this color has forked: the color is held for its children. */
  void hold(Color color, Fork fork) {
    color.hold();
    fork.begin();
  }

  /**
   * The event that runs on a core forks when its handler is over.
   *
   * @throws IllegalStateException if it has forked already
   */
  void fork(Core core, Fork fork) {
    Permit running = core.batch.after();
    if (running instanceof Grant grant) {
      grant.fork(fork);
      fork.hold(grant.tickets());
    } else if (running == null) {
      fork.hold(heldBy(fork, core.batch.running()));
      core.batch.endWith(fork);
    } else {
      throw new IllegalStateException("the handler has forked already");
    }
  }

  /** What an event of one color holds: as if it had asked for it. */
  private Ticket[] heldBy(Fork fork, Color color) {
    Ticket ticket = new Ticket(this, fork, color, false);
    ticket.granted = true;
    return new Ticket[] {ticket};
  }

  /** The handler that runs has registered an event, to be appended when it is over. */
  void registered(Handler<?> handler) {
    scheduler.registered(handler);
  }

  /** The calling thread's; null: it is no worker. */
  @Nullable Core currentCore() {
    return scheduler.currentCore();
  }

  // ---- Grants

  /** A ticket has left its color: the color is held for its grant now, or will never be. */
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

  /** All is held: the event may run. */
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
   * Where an event that is not pinned waits: at the core of the first color that it writes, so that
   * events over many colors are spread as those are; one that only reads goes on here.
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

  /** A child that has not begun shall not: its handler is told. */
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

  /** The event has run, or never will: its colors go on, unless it has forked. */
  void end(Grant grant) {
    if (scheduler.phase() == Scheduler.CLOSED) {
      endAtEnd(grant);
    } else {
      endNow(grant);
    }
  }

  private void endAtEnd(Grant grant) {
    ArrayDeque<Grant> waiting = ENDING.get();
    if (waiting != null) {
      waiting.add(grant);
      return;
    }
    waiting = new ArrayDeque<>();
    ENDING.set(waiting);
    try {
      for (Grant next = grant; next != null; next = waiting.poll()) {
        next.admission.endNow(next);
      }
    } finally {
      ENDING.remove();
    }
  }

  private void endNow(Grant grant) {
    Fork parent = grant.parent();
    Throwable failure = grant.failure();
    try {
      if (parent != null && failure != null) {
        parent.childFailed(failure); // first: a sibling may be next in one of its colors
      }
    } finally {
      goOn(grant, parent);
    }
  }

  private void goOn(Grant grant, @Nullable Fork parent) {
    Fork fork = grant.fork();
    if (fork != null) {
      fork.begin();
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

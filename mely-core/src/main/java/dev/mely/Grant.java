package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An event with permissions: it asks for several colors, or shares one with other readers.
 *
 * <pre>
 *   WAITING --last ticket granted--> in a color of its own --taken--> runs --+
 *      |                                        |                           v
 *      | last ticket settled, one dropped       | rejected               its colors
 *      +----------------------------------------+---------------------->  released
 * </pre>
 *
 * <p>When all its colors are held, the grant is put into a color of its own, as the only event.
 * That color waits, is stolen, timed and rejected as any other (SPEC E3: the unit of a steal is the
 * single event), so the core-queues need not know about permissions.
 */
final class Grant extends PermissionEvent {
  static final Ticket[] NONE = {};
  private static final VarHandle MISSING;

  static {
    try {
      MISSING = MethodHandles.lookup().findVarHandle(Grant.class, "missing", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Granter granter;

  /** What its handler may do. */
  final Permissions asked;

  private final Object event;
  private final @Nullable Children parent;

  /**
   * The color in which it runs. Everything that it needs is made with it: later, when its tickets
   * have been taken, there is no caller who could be told that memory has run out.
   */
  final Color color;

  /** One for each of its colors. */
  private Ticket[] tickets = NONE;

  /** Whether it is the continuation of a fork: its colors are held already. */
  private boolean continues;

  /**
   * Whether it was registered from outside. Children and continuations are not, and take no room.
   */
  private boolean accepted;

  /** The children that its handler has forked. */
  private @Nullable Children children;

  private @Nullable Throwable failure;

  /** Tickets that are neither granted nor dropped. */
  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private int missing;

  Grant(
      Granter granter,
      Permissions asked,
      Handler<?> handler,
      Object event,
      @Nullable Children parent) {
    super(handler);
    this.color = granter.newColor(asked);
    this.granter = granter;
    this.asked = asked;
    this.event = event;
    this.parent = parent;
  }

  /** Sets its tickets, before any of them is in a color. */
  void waitFor(Ticket[] all) {
    tickets = all;
    missing = all.length;
  }

  /** Takes over tickets whose colors are held already. */
  void inherit(Ticket[] held) {
    tickets = held;
    continues = true;
  }

  Ticket[] tickets() {
    return tickets;
  }

  /** The fork of which it is a child; null: it is no child. */
  @Nullable Children parent() {
    return parent;
  }

  /**
   * Counts tickets that have been granted or dropped. Any thread.
   *
   * @return whether they were the last; then the caller sees all that was written before the others
   *     were counted
   */
  boolean settled(int more) {
    return (int) MISSING.getAndAdd(this, -more) == more;
  }

  /** Whether all its colors are held. To be asked after the last ticket has been settled. */
  boolean isComplete() {
    for (Ticket ticket : tickets) {
      if (!ticket.granted) {
        return false;
      }
    }
    return true;
  }

  /**
   * Marks the user's own {@link Event}, if the handler is given one, as pending.
   *
   * @throws IllegalStateException if that event is pending already
   */
  void attachOwn() {
    Handler<?> handler = handler();
    if (event instanceof Event own && !(event instanceof SpecialEvent) && handler != null) {
      own.attach(handler);
    }
  }

  /** Marks the user's own event as not pending. */
  void detachOwn() {
    if (event instanceof Event own && !(event instanceof SpecialEvent)) {
      own.detach();
    }
  }

  /**
   * Notes the children that its handler has forked.
   *
   * @throws IllegalStateException if it has forked already
   */
  void fork(Children begun) {
    if (children != null) {
      throw new IllegalStateException("the handler has forked already");
    }
    children = begun;
  }

  /** The children that its handler has forked; null: none. */
  @Nullable Children children() {
    return children;
  }

  /** What its handler has thrown; null: nothing. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** It was registered from outside, and has taken room. */
  void accepted() {
    accepted = true;
  }

  @Override
  boolean takesRoom() {
    return false; // its tickets do
  }

  @Override
  boolean takesRoomInAll() {
    return accepted;
  }

  /** What its handler is given; null: it was cancelled, by its timer or a sibling's failure. */
  @Override
  @Nullable Object payload() {
    detachOwn();
    if (parent != null && !continues && parent.isCancelled()) {
      granter.cancelled(this, event);
      return null;
    }
    return event instanceof TimerEvent timer ? timer.payload() : event;
  }

  @Override
  Object[] holds() {
    return asked.held();
  }

  @Override
  void failed(Throwable why) {
    failure = why;
  }

  @Override
  boolean keepsColor() {
    return false;
  }

  @Override
  void after(Color color) {
    dropped();
  }

  @Override
  void dropped() {
    if (event instanceof TimerEvent timer) {
      timer.drop(); // it has run, or never will
    }
    granter.end(this);
  }

  @Override
  protected Object subject() {
    return event;
  }

  @Override
  public String toString() {
    return "event for " + asked;
  }
}

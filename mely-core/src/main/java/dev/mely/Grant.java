package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An event that asks for several colors, or shares one.
 *
 * <pre>
 *   WAITING --last ticket granted--> in a color of its own --taken--> runs --+
 *      |                                        |                           v
 *      | last ticket settled, one dropped       | rejected               its colors
 *      +----------------------------------------+---------------------->  go on
 * </pre>
 *
 * <p>Once all that it asks for is held for it, it is the only event of a color of its own. So it
 * waits, is stolen, timed and rejected as any color is (SPEC E3: the unit of a steal is the single
 * event), and nothing of the core-queues knows about permissions.
 */
final class Grant extends Permit {
  static final Ticket[] NONE = {};
  private static final VarHandle MISSING;

  static {
    try {
      MISSING = MethodHandles.lookup().findVarHandle(Grant.class, "missing", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Admission admission;

  /** What it asked for, as its handler knows it. */
  final Permissions asked;

  private final Object event;
  private final @Nullable Fork parent;

  /**
   * In which it runs. Made with it, as all that it will need: when its tickets have been taken,
   * there is nobody whom a lack of memory could be told.
   */
  final Color color;

  /** What is held for it, or will be. */
  private Ticket[] tickets = NONE;

  /** What a fork goes on with: its event has begun long ago. */
  private boolean continues;

  /** Children and continuations have no door to pass: their parent is in. */
  private boolean accepted;

  /** Begun by its handler. */
  private @Nullable Fork fork;

  private @Nullable Throwable failure;

  /** Tickets that are neither granted nor dropped. */
  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private int missing;

  Grant(
      Admission admission,
      Permissions asked,
      Handler<?> handler,
      Object event,
      @Nullable Fork parent) {
    super(handler);
    this.color = admission.newColor(asked);
    this.admission = admission;
    this.asked = asked;
    this.event = event;
    this.parent = parent;
  }

  /** What it asks for. Before any of them is in a color. */
  void waitFor(Ticket[] all) {
    tickets = all;
    missing = all.length;
  }

  /** Goes on with what is held already. */
  void inherit(Ticket[] held) {
    tickets = held;
    continues = true;
  }

  Ticket[] tickets() {
    return tickets;
  }

  /** Whose child it is; null: nobody's. */
  @Nullable Fork parent() {
    return parent;
  }

  /**
   * More tickets are granted or dropped. Any thread.
   *
   * @return whether they were the last: the caller sees what was written for all the others
   */
  boolean settled(int more) {
    return (int) MISSING.getAndAdd(this, -more) == more;
  }

  /** Whether all that it asked for is held. After the last ticket has been settled. */
  boolean isComplete() {
    for (Ticket ticket : tickets) {
      if (!ticket.granted) {
        return false;
      }
    }
    return true;
  }

  /**
   * If it is given an event of the user's own, that is pending from now on.
   *
   * @throws IllegalStateException if it is already
   */
  void attachOwn() {
    Handler<?> handler = handler();
    if (event instanceof Event own && !(event instanceof SpecialEvent) && handler != null) {
      own.attach(handler);
    }
  }

  /** That one is pending no more. */
  void detachOwn() {
    if (event instanceof Event own && !(event instanceof SpecialEvent)) {
      own.detach();
    }
  }

  /**
   * Its handler forks.
   *
   * @throws IllegalStateException if it has already
   */
  void fork(Fork begun) {
    if (fork != null) {
      throw new IllegalStateException("the handler has forked already");
    }
    fork = begun;
  }

  /** What its handler has begun; null: nothing. */
  @Nullable Fork fork() {
    return fork;
  }

  /** What its handler has thrown; null: nothing. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** It has come in by the front door, and has taken room. */
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

  /** What its handler is given, and may register again; null: a sibling's failure has undone it. */
  @Override
  @Nullable Object payload() {
    detachOwn();
    if (parent != null && !continues && parent.isCancelled()) {
      admission.cancelled(this, event);
      return null;
    }
    return event;
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
    admission.end(this);
  }

  @Override
  void dropped() {
    admission.end(this);
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

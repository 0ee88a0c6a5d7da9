package dev.mely;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The place of an event in the queue of one of the colors that it asks for: an event of that color
 * like any other. When it is taken, the color is held for its {@link #grant}.
 *
 * <p>Source: SPEC E2; the tickets of behavior-oriented concurrency.
 */
final class Ticket extends Permit {
  /** Of those that share the color with their neighbors; nobody calls it. */
  static final Handler<Object> READ = new Marker();

  /** Of those that have the color for themselves; nobody calls it. */
  static final Handler<Object> WRITE = new Marker();

  private final Owner owner;

  /** The event that it stands for. */
  final Permit grant;

  final Color color;
  final boolean reads;

  /** How it has come to its color. For the thread that has brought it there. */
  Arrival arrival = Arrival.BEHIND_OTHERS;

  /** Whether the color is held for the grant. Written before the grant counts this ticket. */
  boolean granted;

  /** How a ticket comes to a color. */
  enum Arrival {
    BEHIND_OTHERS,

    /** The color was idle: it is the caller's, with the ticket as its only event. */
    INTO_IDLE,

    /** The color was idle, and is held for the grant at once: the ticket is in no queue. */
    HELD
  }

  /** Who is told what becomes of it. */
  interface Owner {
    /** It has been taken, and the batch is over: the color is the owner's. The core's worker. */
    void hold(Color color, Ticket ticket);

    /** It has been taken: the color is held for it, or it never will be. Any thread. */
    void settle(Ticket ticket, boolean granted);
  }

  Ticket(Owner owner, Permit grant, Color color, boolean reads) {
    super(reads ? READ : WRITE);
    this.owner = owner;
    this.grant = grant;
    this.color = color;
    this.reads = reads;
  }

  @Override
  boolean takesRoom() {
    return grant.takesRoomInAll();
  }

  @Override
  boolean takesRoomInAll() {
    return false; // its grant does
  }

  /** It is never told to anybody: its grant is. */
  @Override
  @Nullable Object payload() {
    return null;
  }

  @Override
  Object[] holds() {
    return grant.holds();
  }

  @Override
  void failed(Throwable why) {
    throw new AssertionError("a ticket is not handled", why);
  }

  @Override
  boolean keepsColor() {
    return true;
  }

  @Override
  void after(Color taken) {
    owner.hold(taken, this);
  }

  @Override
  void dropped() {
    owner.settle(this, false);
  }

  @Override
  protected Object subject() {
    return grant;
  }

  /** To grant a color takes about as long as this. */
  private static final class Marker extends Handler<Object> {
    Marker() {
      super(Work.MEASURED.cost(Duration.ofNanos(100)).penalty(1));
    }

    @Override
    public void handle(Object event) {
      throw new AssertionError("a ticket is not handled");
    }
  }
}

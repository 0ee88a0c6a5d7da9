package dev.mely;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The place of a {@link Grant} in the queue of one of its colors: an event of that color like any
 * other. When the ticket is taken, the color is held for the grant.
 *
 * <p>Source: SPEC E2; the tickets of behavior-oriented concurrency.
 */
final class Ticket extends PermissionEvent {
  /**
   * The handler of tickets that only read, and share the color with other readers; never called.
   */
  static final Handler<Object> READ = new Marker();

  /** The handler of tickets that have the color alone; never called. */
  static final Handler<Object> WRITE = new Marker();

  private final Owner owner;

  /** The event whose place this is. */
  final PermissionEvent grant;

  final Color color;
  final boolean reads;

  /** How it has come to its color. Read and written by the thread that registers it. */
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

  /** Is told what becomes of a ticket. */
  interface Owner {
    /** The ticket was taken, and the batch is over: the owner has the color. The core's worker. */
    void hold(Color color, Ticket ticket);

    /** The ticket has left its color: that is held for it now, or never will be. Any thread. */
    void settle(Ticket ticket, boolean granted);
  }

  Ticket(Owner owner, PermissionEvent grant, Color color, boolean reads) {
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

  /** No handler is called for a ticket, only for its grant. */
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

  /** Its declared cost is about what it takes to grant a color. */
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

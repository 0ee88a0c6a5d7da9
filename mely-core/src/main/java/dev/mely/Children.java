package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The children of an event that has forked, and the continuation that runs when all have ended.
 *
 * <pre>
 *   handler ends --> children run --last has ended--> continuation runs --> colors released
 *   |<------------------- the parent's colors are held ----------------->|
 * </pre>
 *
 * <p>For each color of the parent that a child asks for there is a private color, in which the
 * children wait. So they compete with each other only, and to all other events it is as if the
 * parent ran all the time. Children are registered in their private colors as any event is, and may
 * fork in their turn.
 *
 * <p>Source: Eve, section 2 ({@code finish}; SPEC E4).
 */
final class Children extends PermissionEvent {
  private static final VarHandle LEFT;

  static {
    try {
      LEFT = MethodHandles.lookup().findVarHandle(Children.class, "left", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Granter granter;
  private final Permissions asked;
  private final @Nullable Children parent;
  private final boolean scoped;
  private final List<Grant> all = new ArrayList<>(2);

  /** The private color for each of the parent's colors that a child has asked for. */
  private @Nullable Map<Color, Color> scope;

  private boolean cancelsOnFailure;

  /** The continuation; if there is none, what releases the parent's colors in its place. */
  private @Nullable Grant rest;

  private boolean continues;

  /** The number of children that have not ended, and one more until all have been registered. */
  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private int left;

  private final Failures failures = new Failures();
  private volatile boolean cancelled;

  /**
   * @param asked what the parent has, and the continuation will have
   * @param parent the fork of which the forking event is itself a child; null: it is none
   * @param scoped whether the children share the parent's colors, and wait in private ones; if not,
   *     they ask for any colors, and wait in those
   */
  Children(Granter granter, Permissions asked, @Nullable Children parent, boolean scoped) {
    super(Ticket.WRITE);
    this.granter = granter;
    this.asked = asked;
    this.parent = parent;
    this.scoped = scoped;
  }

  /** What the parent has. */
  Permissions asked() {
    return asked;
  }

  /** No child begins after one has failed. */
  void cancelOnFailure() {
    cancelsOnFailure = true;
  }

  /** Adds a child. */
  void add(Permissions permissions, Handler<?> handler, Object event) {
    Grant child = new Grant(granter, permissions, handler, event, this);
    if (scoped && scope == null && permissions.size() > 0) {
      scope = new HashMap<>();
    }
    granter.prepare(child, scope);
    all.add(child);
  }

  /**
   * Ends the list of children.
   *
   * @param continuation null: there is none
   * @param event what the continuation is given
   * @throws IllegalStateException if the event of one of them is pending already
   */
  void complete(@Nullable Handler<?> continuation, Object event) {
    continues = continuation != null;
    Handler<?> last = continuation == null ? Ticket.WRITE : continuation;
    rest = new Grant(granter, asked, last, event, parent);
    int attached = 0;
    try {
      for (; attached < all.size(); attached++) {
        all.get(attached).attachOwn();
      }
    } finally {
      if (attached < all.size()) {
        all.subList(0, attached).forEach(Grant::detachOwn);
      }
    }
  }

  /** What children have thrown so far. */
  List<Throwable> failures() {
    return failures;
  }

  /** The fork was refused, and will not begin: the children's events are not pending any more. */
  void undo() {
    all.forEach(Grant::detachOwn);
  }

  /** Takes over the parent's tickets, whose colors stay held. After {@link #complete}. */
  void hold(Ticket[] held) {
    rest().inherit(held);
  }

  private Grant rest() {
    return Objects.requireNonNull(rest, "complete");
  }

  /** The parent's batch is over: registers the children. */
  void begin() {
    left = 1 + all.size(); // plain: published with the children, who alone change it
    for (int i = 0; i < all.size(); i++) { // no iterator, for which there may be no memory
      granter.enter(all.get(i), scoped);
    }
    ended();
  }

  /** A child has thrown. Any thread, before the child's colors are released to its siblings. */
  void childFailed(Throwable why) {
    failures.note(why);
    if (cancelsOnFailure) {
      cancelled = true;
    }
  }

  /** Whether children that have not begun are to be rejected. */
  boolean isCancelled() {
    return cancelled;
  }

  /** A child has ended. Any thread. */
  void ended() {
    if ((int) LEFT.getAndAdd(this, -1) == 1) {
      if (continues) {
        granter.post(rest());
      } else {
        granter.end(rest());
      }
    }
  }

  @Override
  boolean takesRoom() {
    return false;
  }

  @Override
  boolean takesRoomInAll() {
    return false;
  }

  @Override
  Object[] holds() {
    return asked.colors();
  }

  @Override
  void failed(Throwable why) {
    throw new AssertionError("a fork is not handled", why);
  }

  @Override
  boolean keepsColor() {
    return true;
  }

  @Override
  void after(Color color) {
    granter.hold(color, this);
  }

  @Override
  void dropped() {
    throw new AssertionError("a fork is in no color");
  }
}

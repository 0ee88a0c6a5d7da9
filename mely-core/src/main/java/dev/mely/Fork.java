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
 * Children of an event, and what goes on when all of them have ended.
 *
 * <pre>
 *   handler ends --> children run --last has ended--> continuation runs --> colors go on
 *   |<------------------- the parent's colors are held ----------------->|
 * </pre>
 *
 * <p>While it lasts, each of the parent's colors is stood for by one of its own, in which the
 * children that ask for it wait: to them it is as if there were no one else, and to others as if
 * the parent ran all the time. So children need nothing but what there is for any event, and may
 * fork in their turn.
 *
 * <p>Source: Eve, section 2 ({@code finish}; SPEC E4).
 */
final class Fork extends Permit {
  private static final VarHandle LEFT;

  static {
    try {
      LEFT = MethodHandles.lookup().findVarHandle(Fork.class, "left", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Admission admission;
  private final Permissions asked;
  private final @Nullable Fork parent;
  private final boolean scoped;
  private final List<Grant> children = new ArrayList<>(2);

  /** What stands for the parent's colors, as far as a child has asked for them. */
  private @Nullable Map<Color, Color> scope;

  private boolean cancelsOnFailure;

  /** What holds the parent's colors when all have ended. */
  private @Nullable Grant rest;

  private boolean continues;

  /** Children that have not ended, and one more until all have been registered. */
  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private int left = 1;

  private final Failures failures = new Failures();
  private volatile boolean cancelled;

  /**
   * @param asked what the parent has, and the continuation will have
   * @param parent whose child the forking event is
   * @param scoped whether the children share what the parent has; if not, they wait in the queues
   *     of all
   */
  Fork(Admission admission, Permissions asked, @Nullable Fork parent, boolean scoped) {
    super(Ticket.WRITE);
    this.admission = admission;
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

  /** One more child. */
  void add(Permissions permissions, Handler<?> handler, Object event) {
    Grant child = new Grant(admission, permissions, handler, event, this);
    if (scoped && scope == null && permissions.size() > 0) {
      scope = new HashMap<>();
    }
    admission.prepare(child, scope);
    children.add(child);
  }

  /**
   * All children are known.
   *
   * @param continuation null: there is none
   * @param event what it is given
   * @throws IllegalStateException if the event of one of them is pending already
   */
  void complete(@Nullable Handler<?> continuation, Object event) {
    continues = continuation != null;
    Handler<?> last = continuation == null ? Ticket.WRITE : continuation;
    rest = new Grant(admission, asked, last, event, parent);
    int attached = 0;
    try {
      for (; attached < children.size(); attached++) {
        children.get(attached).attachOwn();
      }
    } finally {
      if (attached < children.size()) {
        children.subList(0, attached).forEach(Grant::detachOwn);
      }
    }
  }

  /** What children have thrown so far. */
  List<Throwable> failures() {
    return failures;
  }

  /** It will not begin after all. */
  void undo() {
    children.forEach(Grant::detachOwn);
  }

  /** What is held for the parent, and stays so. Once it is complete. */
  void hold(Ticket[] held) {
    rest().inherit(held);
  }

  private Grant rest() {
    return Objects.requireNonNull(rest, "complete");
  }

  /** The parent's handler is over. */
  void begin() {
    LEFT.getAndAdd(this, children.size());
    for (Grant child : children) {
      admission.enter(child, scoped);
    }
    ended();
  }

  /** A child has thrown. Any thread, before the child's colors go on: its siblings may be next. */
  void childFailed(Throwable why) {
    try {
      failures.note(why);
    } finally {
      if (cancelsOnFailure) {
        cancelled = true;
      }
    }
  }

  /** Whether children that have not begun shall not. */
  boolean isCancelled() {
    return cancelled;
  }

  /** A child has ended. Any thread. */
  void ended() {
    if ((int) LEFT.getAndAdd(this, -1) == 1) {
      if (continues) {
        admission.post(rest());
      } else {
        admission.end(rest());
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
    admission.hold(color, this);
  }

  @Override
  void dropped() {
    throw new AssertionError("a fork is in no color");
  }
}

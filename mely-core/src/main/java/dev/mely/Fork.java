package dev.mely;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Forks the event that runs into children, with a continuation when they have ended. Begun by
 * {@link Mely#fork} inside a handler:
 *
 * <pre>{@code
 * mely.fork()
 *     .child(Permissions.write(left), sort, lower)
 *     .child(Permissions.write(right), sort, upper)
 *     .then(failures -> merge(left, right));
 * }</pre>
 *
 * <p>When the handler has returned, the children run: those that do not ask for the same color in
 * parallel, the others in the order in which they were added. A child may ask for the permissions
 * that its parent has, or for fewer. When all have ended the continuation runs, with the parent's
 * permissions. No other event gets one of the parent's colors from the start of the parent to the
 * end of its continuation. Children and continuation may fork in their turn, to any depth; no
 * thread waits. What a child throws goes to the {@link ErrorHandler}, as always, and to the
 * continuation.
 *
 * <p>Not thread-safe: only the handler that has begun it may use it. Source: Eve, section 2 ({@code
 * finish}; SPEC E4).
 */
public final class Fork {
  /** One handler for all continuations of one lambda expression: its cost is learned once. */
  private static final ClassValue<Handler<Continuation>> CONTINUATIONS =
      new ClassValue<>() {
        @Override
        protected Handler<Continuation> computeValue(Class<?> type) {
          return Handler.of(Continuation::run).named("continuation");
        }
      };

  /** A continuation that is a function: the event of a handler that it shares with others. */
  private record Continuation(
      Handler.Action<? super List<Throwable>> action, List<Throwable> failures) {
    void run() throws Exception {
      action.handle(failures);
    }
  }

  private final Granter granter;
  private final Core core;

  /**
   * The color in which the event runs, and how many events the core had begun by then: if either
   * changes, the handler is over.
   */
  private final Color running;

  private final long number;

  private final Children children;

  /** Whether {@link #then} has been called: no child is added any more. */
  private boolean forked;

  /**
   * Begins to fork the event that runs on a core.
   *
   * @param core of the calling worker; null: the calling thread is none
   */
  static Fork of(Granter granter, @Nullable Core core) {
    Color running = core == null ? null : core.batch.color();
    if (core == null || running == null) {
      throw new IllegalStateException("only a handler can fork, and none runs on this thread");
    }
    Children children =
        core.batch.after() instanceof Grant grant
            ? new Children(granter, grant.asked, grant.parent(), true)
            : new Children(granter, Permissions.write(running), null, true); // of one color
    return new Fork(granter, core, running, children);
  }

  private Fork(Granter granter, Core core, Color running, Children children) {
    this.granter = granter;
    this.core = core;
    this.running = running;
    this.number = core.counters.events;
    this.children = children;
  }

  /**
   * Adds a child.
   *
   * @param asked what the child asks for, no more than its parent has
   * @param handler what handles its event
   * @param event what the handler is given
   * @return this
   * @throws IllegalArgumentException if it asks for more; names the color
   * @throws IllegalStateException after {@link #then(Handler)}
   */
  public <E> Fork child(Permissions asked, Handler<? super E> handler, E event) {
    checkNotForked();
    children.asked().checkCover(Objects.requireNonNull(asked, "asked"));
    Objects.requireNonNull(handler, "handler");
    children.add(asked, handler, Objects.requireNonNull(event, "event"));
    granter.registered(handler);
    return this;
  }

  /**
   * Lets no child begin after one has thrown: {@link Handler#rejected} is called for those that
   * have not begun. Those that run already are not interrupted.
   *
   * @return this
   * @throws IllegalStateException after {@link #then(Handler)}
   */
  public Fork cancelOnFailure() {
    checkNotForked();
    children.cancelOnFailure();
    return this;
  }

  /**
   * Sets the continuation. The children begin when the handler returns.
   *
   * @param continuation runs when all children have ended, as an event with the permissions of the
   *     parent; it is given what the children have thrown, in the order in which they ended
   * @throws IllegalStateException if the handler has forked already, or is over, or if a child's
   *     event is pending already
   */
  public void then(Handler<? super List<Throwable>> continuation) {
    Objects.requireNonNull(continuation, "continuation");
    then(continuation, children.failures());
  }

  private void then(Handler<?> continuation, Object event) {
    if (granter.currentCore() != core
        || core.batch.color() != running
        || core.counters.events != number) {
      throw new IllegalStateException("the handler is over");
    }
    checkNotForked();
    children.complete(continuation, event);
    try {
      granter.fork(core, children);
      granter.registered(continuation);
      forked = true;
    } catch (Throwable refused) {
      children.undo();
      throw refused;
    }
  }

  private void checkNotForked() {
    if (forked) {
      throw new IllegalStateException("the handler has forked already");
    }
  }

  /**
   * As {@link #then(Handler)}, with a function.
   *
   * @param continuation what runs when all children have ended
   */
  public void then(Handler.Action<? super List<Throwable>> continuation) {
    Objects.requireNonNull(continuation, "continuation");
    then(
        CONTINUATIONS.get(continuation.getClass()),
        new Continuation(continuation, children.failures()));
  }
}

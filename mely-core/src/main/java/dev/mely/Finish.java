package dev.mely;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Children of the event that runs, and what goes on when they have ended. Begun by {@link
 * Mely#finish} inside a handler:
 *
 * <pre>{@code
 * mely.finish()
 *     .fork(Permissions.write(left), sort, lower)
 *     .fork(Permissions.write(right), sort, upper)
 *     .then(failures -> merge(left, right));
 * }</pre>
 *
 * <p>When the handler has returned, the children run: those that do not ask for the same color in
 * parallel, the others in the order in which they were forked. A child may ask for what its parent
 * has, or for less. When all have ended the continuation runs, with what the parent has. To
 * everybody else it is as if the parent ran all the time: they get none of its colors from its
 * start to the end of its continuation. Children and continuation may fork in their turn, to any
 * depth; no thread waits. What a child throws goes to the {@link ErrorHandler}, as always, and to
 * the continuation.
 *
 * <p>Not thread-safe: for the handler that has begun it. Source: Eve, section 2 ({@code finish};
 * SPEC E4).
 */
public final class Finish {
  /** One handler for all continuations of one place in the program: its cost is learned once. */
  private static final ClassValue<Handler<Continuation>> CONTINUATIONS =
      new ClassValue<>() {
        @Override
        protected Handler<Continuation> computeValue(Class<?> type) {
          return Handler.of(Continuation::run).named("continuation");
        }
      };

  /** A function that goes on, as the event of a handler that it shares with others. */
  private record Continuation(
      Handler.Action<? super List<Throwable>> action, List<Throwable> failures) {
    void run() throws Exception {
      action.handle(failures);
    }
  }

  private final Admission admission;
  private final Core core;

  /** In which the event runs, and how many the core had begun by then: it is this one so long. */
  private final Color running;

  private final long number;

  private final Fork fork;

  /** Nothing is added any more. */
  private boolean forked;

  /**
   * Of the event that runs on a core.
   *
   * @param core whose worker is calling
   */
  static Finish of(Admission admission, @Nullable Core core) {
    Color running = core == null ? null : core.batch.color();
    if (core == null || running == null) {
      throw new IllegalStateException("only a handler can fork, and none runs on this thread");
    }
    Fork fork =
        core.batch.after() instanceof Grant grant
            ? new Fork(admission, grant.asked, grant.parent(), true)
            : new Fork(admission, Permissions.write(running), null, true); // of one color
    return new Finish(admission, core, running, fork);
  }

  private Finish(Admission admission, Core core, Color running, Fork fork) {
    this.admission = admission;
    this.core = core;
    this.running = running;
    this.number = core.counters.events;
    this.fork = fork;
  }

  /**
   * Adds a child.
   *
   * @param asked what it asks for, no more than its parent has
   * @param handler who handles it
   * @param event what the handler is given
   * @return this
   * @throws IllegalArgumentException if it asks for more; names the color
   * @throws IllegalStateException after {@link #then(Handler)}
   */
  public <E> Finish fork(Permissions asked, Handler<? super E> handler, E event) {
    checkNotForked();
    fork.asked().checkCover(asked);
    Objects.requireNonNull(handler, "handler");
    fork.add(asked, handler, Objects.requireNonNull(event, "event"));
    admission.registered(handler);
    return this;
  }

  /**
   * No child begins after one has thrown; their handlers are {@linkplain Handler#rejected told}.
   * Those that run already are not interrupted.
   *
   * @return this
   * @throws IllegalStateException after {@link #then(Handler)}
   */
  public Finish cancelOnFailure() {
    checkNotForked();
    fork.cancelOnFailure();
    return this;
  }

  /**
   * Says what runs when all children have ended, and lets them begin when the handler returns.
   *
   * @param continuation what runs then, as an event with the permissions of the parent; it is given
   *     what the children have thrown, in the order in which they ended
   * @throws IllegalStateException if the handler has forked already, or is over, or if a child's
   *     event is pending already
   */
  public void then(Handler<? super List<Throwable>> continuation) {
    Objects.requireNonNull(continuation, "continuation");
    then(continuation, fork.failures());
  }

  private void then(Handler<?> continuation, Object event) {
    if (admission.currentCore() != core
        || core.batch.color() != running
        || core.counters.events != number) {
      throw new IllegalStateException("the handler is over");
    }
    checkNotForked();
    fork.complete(continuation, event);
    try {
      admission.fork(core, fork);
      admission.registered(continuation);
      forked = true;
    } catch (Throwable refused) {
      fork.undo();
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
        new Continuation(continuation, fork.failures()));
  }
}

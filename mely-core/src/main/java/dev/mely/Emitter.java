package dev.mely;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Something that happens again and again, and that others wait for: it calls handlers, each with
 * permissions of its own. Made by {@link Mely#newEmitter}.
 *
 * <pre>{@code
 * Emitter<Tick> ticks = mely.newEmitter();
 * ticks.on(Permissions.write(chart), draw);
 * ticks.on(Permissions.write(log), note);
 * ticks.emit(new Tick(1)); // both, in parallel
 * ticks.emit(new Tick(2)); // when both have ended
 * }</pre>
 *
 * <p>The callbacks of one emission run in parallel, as far as their permissions allow; those that
 * ask for the same color run in the order in which they were added. Those of the next emission
 * begin when all of this one have ended, and what they have forked. A callback must therefore not
 * wait for a later emission of the same emitter. An emission calls the handlers that are there when
 * it begins: one that is added or removed after that, by a callback even, counts from the next
 * emission on.
 *
 * <p>Thread-safe. Source: Eve, section 2 (event callbacks) and 3 ({@code emitter<T>}); SPEC E6.
 *
 * @param <T> what is emitted
 */
public final class Emitter<T> {
  private final Scheduler scheduler;
  private final Admission admission;

  /** Its events are the emissions. */
  private final Color color;

  private final List<Callback<T>> callbacks = new CopyOnWriteArrayList<>();
  private final Handler<T> emission = Handler.of(this::begin).named("emission");

  /** A handler, and what it asks for; each is another, though they may be the same. */
  private static final class Callback<T> {
    final Permissions asked;
    final Handler<? super T> handler;

    Callback(Permissions asked, Handler<? super T> handler) {
      this.asked = asked;
      this.handler = handler;
    }
  }

  /**
   * @param color a new one, in which the emissions wait
   */
  Emitter(Scheduler scheduler, Admission admission, Color color) {
    this.scheduler = scheduler;
    this.admission = admission;
    this.color = color;
  }

  /**
   * Adds a handler.
   *
   * @param asked what each of its callbacks asks for
   * @param handler who is called
   * @return removes the handler again; any thread, and calls after the first do nothing
   * @throws IllegalArgumentException if a color belongs to another runtime
   */
  public Runnable on(Permissions asked, Handler<? super T> handler) {
    admission.check(asked);
    Callback<T> callback = new Callback<>(asked, Objects.requireNonNull(handler, "handler"));
    callbacks.add(callback);
    return () -> callbacks.remove(callback);
  }

  /**
   * Emits something. The handlers are called later, never by this thread before this returns.
   *
   * @param what each of them is given; not an {@link Event}, of which each handler would need one
   * @throws IllegalArgumentException if it is an {@link Event}
   * @throws java.util.concurrent.RejectedExecutionException as {@link Mely#register(Color, Handler,
   *     Object)}
   */
  public void emit(T what) {
    if (what instanceof Event) {
      throw new IllegalArgumentException("several handlers cannot own one event: " + what);
    }
    scheduler.post(color, scheduler.node(color, emission, what));
  }

  /** The emission has its turn. */
  private void begin(T what) {
    List<Callback<T>> now = List.copyOf(callbacks);
    if (!now.isEmpty()) {
      Fork fork = new Fork(admission, Permissions.write(color), null, false);
      for (Callback<T> callback : now) {
        fork.add(callback.asked, callback.handler, what);
        admission.registered(callback.handler);
      }
      fork.complete(null, what);
      admission.fork(Objects.requireNonNull(admission.currentCore()), fork);
    }
  }
}

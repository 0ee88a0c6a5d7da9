package dev.mely;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Calls handlers, each with permissions of its own, whenever something is emitted: publish and
 * subscribe, with an order. Made by {@link Mely#newEmitter}.
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
 * ask for the same color run in the order in which their handlers were added. The callbacks of the
 * next emission begin when all of this one, and the children that they have forked, have ended. So
 * a callback must not wait for a later emission of the same emitter. An emission calls the handlers
 * that are subscribed when it begins: a handler that is added or removed later, even by a callback,
 * is called, or not, from the next emission on.
 *
 * <p>Thread-safe. Source: Eve, section 2 (event callbacks) and 3 ({@code emitter<T>}); SPEC E6.
 *
 * @param <T> what is emitted
 */
public final class Emitter<T> {
  private final Scheduler scheduler;
  private final Granter granter;

  /** The color in which the emissions wait. */
  private final Color color;

  private final List<Callback<T>> callbacks = new CopyOnWriteArrayList<>();
  private final Handler<T> emission = Handler.of(this::begin).named("emission");

  /** A handler, and what it asks for. Compared by identity: one handler may be added twice. */
  private static final class Callback<T> {
    final Permissions asked;
    final Handler<? super T> handler;

    Callback(Permissions asked, Handler<? super T> handler) {
      this.asked = asked;
      this.handler = handler;
    }
  }

  /** A handler of an emitter. Thread-safe. */
  @FunctionalInterface
  public interface Subscription {
    /**
     * Removes the handler, from the next emission on. Does nothing if it is removed already, and
     * leaves alone other subscriptions of the same handler.
     */
    void cancel();
  }

  /**
   * @param color a new one, in which the emissions wait
   */
  Emitter(Scheduler scheduler, Granter granter, Color color) {
    this.scheduler = scheduler;
    this.granter = granter;
    this.color = color;
  }

  /**
   * Adds a handler.
   *
   * @param asked what each call of the handler asks for
   * @param handler what is called with each emission
   * @return with which the handler can be removed again
   * @throws IllegalArgumentException if a color belongs to another runtime
   */
  public Subscription on(Permissions asked, Handler<? super T> handler) {
    granter.check(Objects.requireNonNull(asked, "asked"));
    Callback<T> callback = new Callback<>(asked, Objects.requireNonNull(handler, "handler"));
    callbacks.add(callback);
    return () -> callbacks.remove(callback);
  }

  /**
   * Emits something. The handlers are called later, never on this thread before this returns.
   *
   * @param what each handler is given; not an {@link Event}, of which each handler would need its
   *     own
   * @throws IllegalArgumentException if it is an {@link Event}
   * @throws java.util.concurrent.RejectedExecutionException as {@link Mely#register(Color, Handler,
   *     Object)}
   */
  public void emit(T what) {
    if (what instanceof Event) {
      throw new IllegalArgumentException("several handlers cannot own one event: " + what);
    }
    scheduler.post(color, scheduler.node(color, emission, Objects.requireNonNull(what, "what")));
  }

  /** Begins an emission that has its turn. */
  private void begin(T what) {
    List<Callback<T>> now = List.copyOf(callbacks);
    if (!now.isEmpty()) {
      Children children = new Children(granter, Permissions.write(color), null, false);
      for (Callback<T> callback : now) {
        children.add(callback.asked, callback.handler, what);
        granter.registered(callback.handler);
      }
      children.complete(null, what);
      granter.fork(Objects.requireNonNull(granter.currentCore()), children);
    }
  }
}

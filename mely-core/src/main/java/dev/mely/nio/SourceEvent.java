package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * A source and its event, one object for the life of the source.
 *
 * <h2>State</h2>
 *
 * <pre>
 *    ACTIVE     the user wants events
 *    IN_FLIGHT  the event has been posted and is not handled yet
 *    CANCELLED  for good
 *
 *                 fire: post the event              (whoever finds something: poll, signal)
 *      ACTIVE ------------------------> ACTIVE | IN_FLIGHT
 *        ^                                          |
 *        +------------ handled, then arm -----------+   (the color)
 * </pre>
 *
 * <p>Three independent bits, changed by atomic operations. The source is <em>armed</em> when ACTIVE
 * alone is set, and the rule is: <b>whoever arms it by a change of state looks afterwards whether
 * something is there ({@link #arm}); whoever finds something has first made sure that it will not
 * be told of it again, and then tries {@link #fire}</b>. A report that comes at the wrong moment
 * (paused, in flight) is dropped, because the change of state that ends this moment is followed by
 * an {@code arm} that finds the same thing again.
 */
@SuppressWarnings("UnusedVariable") // state is touched through its VarHandle alone
abstract class SourceEvent extends IoEvent implements Source {
  private static final int ACTIVE = 1;
  private static final int IN_FLIGHT = 2;
  private static final int CANCELLED = 4;

  /** How long a source waits that finds no room for its event. */
  private static final Duration FULL = Duration.ofMillis(1);

  private static final Handler<SourceEvent> RELEASE = new Release();

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(SourceEvent.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Mely mely;
  private final Color color;
  private final IoHandler handler;

  private int state;

  /** The handler that runs wants the source to stay in flight. Color only. */
  private boolean held;

  SourceEvent(Mely mely, Color color, Handler<?> user) {
    this.mely = mely;
    this.color = color;
    this.handler = new IoHandler(user);
  }

  // ---- What sources differ in

  /** Calls the user's handler. In the color. */
  abstract void serve() throws Exception;

  /** Looks whether there is something, or asks to be told, and fires then. Any thread. */
  abstract void arm();

  /** The source has been cancelled. Any thread, once. */
  abstract void disconnect();

  /** Whether there is any use in calling the handler. */
  boolean isOpen() {
    return true;
  }

  /** Just before the event is posted. */
  void aboutToPost() {}

  // ---- Whoever finds something

  /** Posts the event, if the source is armed. */
  final void fire() {
    if (isEnding() || !STATE.compareAndSet(this, ACTIVE, ACTIVE | IN_FLIGHT)) {
      return;
    }
    aboutToPost();
    try {
      mely.register(color, handler, this);
    } catch (RejectedExecutionException e) {
      // As many events are pending as may be: what has been found stays where it is, and is found
      // again later. Or the runtime is shutting down, and the source will not be heard of again.
      releaseAfter(FULL);
    }
  }

  // ---- Color

  @Override
  final void run() throws Exception {
    held = false;
    try {
      if (isActive()) {
        serve();
      }
    } finally {
      if (!held) {
        handled();
      }
    }
  }

  /** Whether the user still wants this. */
  final boolean isActive() {
    return ((int) STATE.getAcquire(this) & (ACTIVE | CANCELLED)) == ACTIVE && isOpen();
  }

  /** Whether the runtime is shutting down. */
  final boolean isEnding() {
    return mely.isShutdown();
  }

  /** Keeps the source in flight for a while, as if its handler took that long. */
  final void hold(Duration time) {
    releaseAfter(time);
    held = true;
  }

  /** A timer finds room where other events do not. */
  private void releaseAfter(Duration time) {
    try {
      mely.schedule(color, RELEASE, this, time);
    } catch (RejectedExecutionException e) {
      // The runtime is shutting down: nothing more will fire.
    }
  }

  private void handled() {
    if ((int) STATE.getAndBitwiseAnd(this, ~IN_FLIGHT) == (ACTIVE | IN_FLIGHT)) {
      arm();
    }
    afterHandled();
  }

  /** The event has been handled, and the source armed if the user still wants it. */
  void afterHandled() {}

  @Override
  final void rejected() {
    if (!isEnding()) { // else shutdown closes the channels
      releaseAfter(FULL); // no memory to queue the color: as above, what has been found stays
    }
  }

  // ---- Any thread

  final Color color() {
    return color;
  }

  @Override
  public final Source resume() {
    if ((int) STATE.getAndBitwiseOr(this, ACTIVE) == 0) {
      arm(); // else the event in flight does so when it has been handled
    }
    return this;
  }

  @Override
  public final void pause() {
    STATE.getAndBitwiseAnd(this, ~ACTIVE);
  }

  @Override
  public final boolean cancel() {
    if (((int) STATE.getAndBitwiseOr(this, CANCELLED) & CANCELLED) != 0) {
      return false;
    }
    disconnect();
    return true;
  }

  @Override
  public final boolean isCancelled() {
    return ((int) STATE.getVolatile(this) & CANCELLED) != 0 || !isOpen();
  }

  /** A source that was held is let go: nothing else to do. */
  private static final class Release extends Handler<SourceEvent> {
    @Override
    public void handle(SourceEvent source) {
      source.handled();
    }

    @Override
    protected void rejected(SourceEvent source) {
      source.rejected();
    }
  }
}

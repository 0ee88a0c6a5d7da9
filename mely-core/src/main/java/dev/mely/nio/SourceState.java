package dev.mely.nio;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of a source: who wants its events, and whether one is under way.
 *
 * <pre>
 *    ACTIVE     the user wants events
 *    IN_FLIGHT  an event has been posted and is not handled yet
 *    CANCELLED  for good
 *
 *                 takeOff: post an event            (the thread that finds it: poll, signal)
 *      ACTIVE ------------------------> ACTIVE | IN_FLIGHT
 *      armed                                        |
 *        ^                                          |
 *        +------------ land, then arm --------------+   (the color)
 * </pre>
 *
 * <p>Three independent bits, each changed by one atomic operation whose result tells what the
 * caller has to do. The source is <em>armed</em> when ACTIVE alone is set, and the rule is: <b>a
 * thread that arms it by a change of state looks afterwards whether something is there; a thread
 * that finds something first switches off further reports of it, and then tries {@link
 * #takeOff}</b> (Dekker pattern). A report that comes at the wrong moment (paused, in flight) is
 * dropped, because the change of state that ends this moment is followed by a look that finds the
 * same thing again.
 *
 * <p>Each change is one atomic read-modify-write: a read followed by a write would overwrite what
 * other threads do in between, and the look that they rely on would be missing.
 */
@SuppressWarnings("UnusedVariable") // state is touched through its VarHandle alone
final class SourceState {
  private static final int ACTIVE = 1;
  private static final int IN_FLIGHT = 2;
  private static final int CANCELLED = 4;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(SourceState.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private int state;

  // ---- The thread that finds something: poll, signal

  /** If the source is armed, an event is under way from now on: true, the caller posts it. */
  boolean takeOff() {
    return STATE.compareAndSet(this, ACTIVE, ACTIVE | IN_FLIGHT);
  }

  // ---- The thread that holds what is in flight

  /** No event is under way any more. True: the source is armed by this, the caller looks. */
  boolean land() {
    return clear(IN_FLIGHT) == (ACTIVE | IN_FLIGHT);
  }

  // ---- Any thread

  /** The user wants events. True: the source is armed by this, the caller looks. */
  boolean resume() {
    return set(ACTIVE) == 0; // in flight: the thread that lands it looks
  }

  void pause() {
    clear(ACTIVE);
  }

  /** Returns true if this call was the first. */
  boolean cancel() {
    return (set(CANCELLED) & CANCELLED) == 0;
  }

  /** Whether the user wants events, and not less for good. */
  boolean isActive() {
    return ((int) STATE.getAcquire(this) & (ACTIVE | CANCELLED)) == ACTIVE;
  }

  boolean isCancelled() {
    return ((int) STATE.getVolatile(this) & CANCELLED) != 0;
  }

  // ---- One read and write in one. What was there before

  private int set(int bits) {
    while (true) {
      int s = (int) STATE.getVolatile(this);
      if (STATE.compareAndSet(this, s, s | bits)) {
        return s;
      }
    }
  }

  private int clear(int bits) {
    while (true) {
      int s = (int) STATE.getVolatile(this);
      if (STATE.compareAndSet(this, s, s & ~bits)) {
        return s;
      }
    }
  }
}

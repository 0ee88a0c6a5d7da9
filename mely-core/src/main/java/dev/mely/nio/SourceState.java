package dev.mely.nio;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The state of a source: whether the user wants its events, and whether one is under way.
 *
 * <pre>
 *    ACTIVE     the user wants events
 *    IN_FLIGHT  an event has been posted and is not handled yet
 *    CANCELLED  for good
 *
 *                 takeOff: post an event            (the finder: a poll, a signal)
 *      ACTIVE ------------------------> ACTIVE | IN_FLIGHT
 *      armed                                        |
 *        ^                                          |
 *        +------------ land, then arm --------------+   (the color)
 * </pre>
 *
 * <p>Three independent bits, each changed by one atomic operation whose result tells what the
 * caller has to do. The source is <em>armed</em> when ACTIVE alone is set, and the rule is: <b>the
 * thread whose change of state arms it looks afterwards whether something is there; the finder
 * first makes sure that it will not be told of the same thing again, and then tries {@link
 * #takeOff}</b>. (A Dekker pattern.) A report that comes at the wrong moment (paused, in flight) is
 * dropped, because the change of state that ends this moment is followed by a look that finds the
 * same thing again.
 *
 * <p>Each change is one atomic read-modify-write: a read and a later write would overwrite changes
 * in between, and no thread would look again for them.
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

  // ---- The finder

  /** If the source is armed, an event is under way from now on: true, the caller posts it. */
  boolean takeOff() {
    return STATE.compareAndSet(this, ACTIVE, ACTIVE | IN_FLIGHT);
  }

  // ---- The owner of the event in flight

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

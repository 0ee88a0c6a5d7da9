package dev.mely.flight;

import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The runtime's events for the flight recorder, behind methods that cost next to nothing while
 * there is no recording: a field that is false until the recorder is started (where the {@code
 * jdk.jfr} module is missing, no class of it is touched), then a method of the JDK that returns
 * false until a recording asks for the event.
 *
 * <p>What takes time is begun and ended; in between the caller keeps what {@code begin} returned.
 * Thread-safe.
 */
public final class Flight {
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  /** Whether the recorder knows the events. */
  private static volatile boolean ready;

  private Flight() {}

  /**
   * Whether there could be a recording. The recorder generates a class for each event, which takes
   * 15 ms: too long for the first steal, when a core is stuck and its colors wait for the thief. So
   * the classes are made with the runtime if the recorder has been started by then, else when a
   * worker asks for the first time after that.
   */
  private static boolean isReady() {
    return ready || (PRESENT && FlightRecorder.isInitialized() && prepare());
  }

  private static boolean prepare() {
    SlowHandlerEvent.isOn();
    ParkEvent.isOn();
    StealEvent.isOn();
    TakeOverEvent.isOn();
    MigrationEvent.isOn();
    ready = true;
    return true;
  }

  // ---- Handlers

  /** Whether every run of a handler is to be timed. To be asked now and then. */
  public static boolean watchesHandlers() {
    return isReady() && SlowHandlerEvent.isOn();
  }

  /**
   * A handler is about to run.
   *
   * @return null while there is no recording; to be given to {@link #endHandler}
   */
  public static @Nullable Object beginHandler() {
    return ready && SlowHandlerEvent.isOn() ? SlowHandlerEvent.start() : null;
  }

  /**
   * The handler has returned. Records the run if it took as long as the recording asks for.
   *
   * @param begun what {@link #beginHandler} returned, not null
   * @param core number of the core
   * @param handler supplies the name of the handler that ran; called only if the run is recorded
   * @param color its color
   */
  public static void endHandler(Object begun, int core, Supplier<String> handler, Object color) {
    ((SlowHandlerEvent) begun).end(core, handler, color);
  }

  // ---- Parking

  /**
   * A worker is about to wait.
   *
   * @return null while there is no recording; to be given to {@link #endPark}
   */
  public static @Nullable Object beginPark() {
    return ready && ParkEvent.isOn() ? ParkEvent.start() : null;
  }

  /**
   * The worker is back.
   *
   * @param begun what {@link #beginPark} returned, not null
   * @param core number of the core
   * @param waitNanos how long it was willing to wait; {@link Long#MAX_VALUE}: for good
   */
  public static void endPark(Object begun, int core, long waitNanos) {
    ((ParkEvent) begun).end(core, waitNanos);
  }

  // ---- Colors that move

  /** Whether {@link #stole} would record anything. */
  public static boolean watchesSteals() {
    return ready && (StealEvent.isOn() || TakeOverEvent.isOn());
  }

  /**
   * A color was stolen.
   *
   * @param thief number of the core that has it now
   * @param victim number of the core that had it
   * @param stuck whether the victim was stuck in a handler: a take-over
   * @param color the color
   * @param events its pending events
   * @param timeLeft what they are expected to take, in nanoseconds, penalties deducted
   * @param searchNanos how long the thief has searched
   */
  public static void stole(
      int thief,
      int victim,
      boolean stuck,
      Object color,
      int events,
      long timeLeft,
      long searchNanos) {
    // Not one call of a common type: the verifier would load it, also where there is no jdk.jfr.
    if (stuck) {
      new TakeOverEvent().emit(thief, victim, color, events, timeLeft, searchNanos);
    } else {
      new StealEvent().emit(thief, victim, color, events, timeLeft, searchNanos);
    }
  }

  /** Whether {@link #migrated} would record anything. */
  public static boolean watchesMigrations() {
    return ready && MigrationEvent.isOn();
  }

  /**
   * A color has moved without being stolen.
   *
   * @param from number of the core
   * @param to number of the core
   * @param color the color
   */
  public static void migrated(int from, int to, Object color) {
    MigrationEvent.emit(from, to, color);
  }
}

package dev.mely;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handles events of one kind, and carries what the scheduler knows about that work: its cost and
 * its penalty.
 *
 * <p>Make one handler per kind of work, once, and register it with many events: either a subclass,
 * which may be annotated with {@link Cost} and {@link Penalty}, or {@link #of(Action)} around a
 * lambda. A handler without a declared cost is measured: the runtime times its first runs and then
 * a sample, and keeps a moving average (Mely, section VII, future work).
 *
 * <p>Thread-safe as far as this class goes: events of different colors run the same handler in
 * parallel, so a subclass's own fields need care. The measured figures are racy on purpose: a lost
 * update costs one sample.
 *
 * @param <E> what it handles
 */
public abstract class Handler<E> {
  /** Above this cost, two reads of the clock are noise, so that every run is timed. */
  private static final long ALWAYS_TIMED_NANOS = 20_000;

  /** How many runs of a new handler are timed, to learn its cost soon. */
  private static final int FIRST_SAMPLES = 16;

  private final long declaredCost;
  private final int penalty;

  private long measured;
  private int samples;

  /** Cost in nanoseconds as the heuristics see it; declared, else measured. */
  private long cost;

  /** {@link #cost} divided by {@link #penalty}. */
  private long discounted;

  /**
   * Makes a handler whose cost and penalty are those of the class's annotations.
   *
   * @throws IllegalArgumentException if an annotation's value is below 1
   */
  protected Handler() {
    this((Declaration) null);
  }

  /**
   * Makes a handler with a declared cost and penalty; annotations of the class are not looked at.
   *
   * @param cost average processing time of one event, more than zero; null: measure it
   * @param penalty divisor of the cost in the eyes of a thief, 1 or more
   * @throws IllegalArgumentException if a value is out of range
   */
  protected Handler(@Nullable Duration cost, int penalty) {
    this(Declaration.of(cost, penalty));
  }

  private Handler(@Nullable Declaration given) {
    Declaration d = given != null ? given : Declaration.of(getClass());
    declaredCost = d.costNanos();
    penalty = d.penalty();
    publish(declaredCost);
  }

  /** Handles one event, serially with all other events of its color. */
  public abstract void handle(E event) throws Exception;

  /**
   * Called in place of {@link #handle} when the runtime has shut down before the event could run.
   * Does nothing by default. Runs on whichever thread found the event, one at a time per color.
   *
   * @param event the event that will never run
   */
  protected void rejected(E event) {}

  /**
   * Makes a handler of a function; its cost is measured.
   *
   * @param action the code to run per event
   * @return a new handler
   */
  public static <E> Handler<E> of(Action<? super E> action) {
    return new ActionHandler<>(action, null, 1);
  }

  /**
   * Makes a handler of a function with a declared cost and penalty.
   *
   * @param action the code to run per event
   * @param cost average processing time of one event, more than zero
   * @param penalty divisor of the cost in the eyes of a thief, 1 or more
   * @return a new handler
   * @throws IllegalArgumentException if a value is out of range
   */
  public static <E> Handler<E> of(Action<? super E> action, Duration cost, int penalty) {
    return new ActionHandler<>(action, Objects.requireNonNull(cost, "cost"), penalty);
  }

  /**
   * Returns the cost of one event as the heuristics see it: declared, or measured so far.
   *
   * @return nanoseconds; 0 if it is neither declared nor measured yet
   */
  public final long costNanos() {
    return cost;
  }

  /**
   * Returns the divisor of the cost.
   *
   * @return 1 or more
   */
  public final int penalty() {
    return penalty;
  }

  /** Cost divided by penalty, in nanoseconds. */
  final long discountedCostNanos() {
    return discounted;
  }

  /** Whether this run should be timed even if no sample is due. */
  final boolean wantsTiming() {
    return measured >= ALWAYS_TIMED_NANOS || samples < FIRST_SAMPLES;
  }

  /** Takes the duration of one run into the moving average. Any worker; races are benign. */
  final void observe(long nanos) {
    int seen = samples;
    long old = measured;
    // The plain mean of the first few runs, then 1/16 weight: a first run in the interpreter is
    // forgotten soon, and one outlier does not flip a worthy color.
    long divisor = seen < FIRST_SAMPLES ? seen + 1 : FIRST_SAMPLES;
    long now = old + (nanos - old) / divisor;
    if (seen < FIRST_SAMPLES) {
      samples = seen + 1;
    }
    measured = now;
    // Every producer reads the published cost: move it only if it is off by more than an eighth.
    if (declaredCost == 0 && Math.abs(now - cost) > cost >> 3) {
      publish(now);
    }
  }

  /** Whether the cost is measured, so that it may change while events are pending. */
  final boolean isMeasured() {
    return declaredCost == 0;
  }

  private void publish(long nanos) {
    cost = nanos;
    discounted = nanos == 0 ? 0 : Math.max(1, nanos / penalty);
  }

  /**
   * The code of a handler as a function.
   *
   * @param <E> what it handles
   */
  @FunctionalInterface
  public interface Action<E> {
    /** Handles one event. */
    void handle(E event) throws Exception;
  }

  /** Cost (0: measure) and penalty, checked once. */
  private record Declaration(long costNanos, int penalty) {
    static Declaration of(@Nullable Duration cost, int penalty) {
      if (cost != null && (cost.isZero() || cost.isNegative())) {
        throw new IllegalArgumentException("cost must be more than zero, but is " + cost);
      }
      if (penalty < 1) {
        throw new IllegalArgumentException("penalty must be 1 or more, but is " + penalty);
      }
      return new Declaration(cost == null ? 0 : Nanos.of(cost), penalty);
    }

    static Declaration of(AnnotatedElement element) {
      Cost cost = element.getAnnotation(Cost.class);
      Penalty penalty = element.getAnnotation(Penalty.class);
      return of(
          cost == null ? null : Duration.ofNanos(cost.nanos()),
          penalty == null ? 1 : penalty.value());
    }
  }

  private static final class ActionHandler<E> extends Handler<E> {
    private final Action<? super E> action;

    ActionHandler(Action<? super E> action, @Nullable Duration cost, int penalty) {
      super(cost, penalty);
      this.action = Objects.requireNonNull(action, "action");
    }

    @Override
    public void handle(E event) throws Exception {
      action.handle(event);
    }
  }
}

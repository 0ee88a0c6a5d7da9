package dev.mely;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handles events of one kind, and carries what the scheduler knows about that work: its cost and
 * its penalty.
 *
 * <p>Make one handler per kind of work, once, and register it with many events: either a subclass,
 * which may be annotated with {@link Cost} and {@link Penalty}, or {@link #of(Action)} around a
 * lambda. What is not declared is measured: the runtime times a handler's first runs and then a
 * sample, and what stealing its colors costs, and keeps moving averages (Mely, section VII, future
 * work).
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

  /**
   * A run that takes longer than this, and so many times longer than usual, has probably lost its
   * CPU to another thread on the way: it counts as so many times the usual.
   */
  private static final long OUTLIER_NANOS = 100_000;

  private static final int OUTLIER_TIMES = 8;

  /** How many runs of a new handler are timed, to learn its cost soon. */
  private static final int FIRST_SAMPLES = 16;

  /** Penalties that are measured stay below this. */
  private static final int MAX_PENALTY = 1_000;

  private final long declaredCost;
  private final int declaredPenalty;

  private long measured;
  private int samples;

  /**
   * What a steal of this handler's colors costs more than others, in nanoseconds: a moving average.
   */
  private long excess;

  /** What a steal costs on average, when last seen. */
  private long usualPrice = 1;

  private int penalty;

  /** Cost in nanoseconds as the heuristics see it; declared, else measured. */
  private long cost;

  /** {@link #cost} divided by {@link #penalty}. */
  private long discounted;

  /**
   * Makes a handler whose cost and penalty are those of the class's annotations, and measured where
   * there are none.
   *
   * @throws IllegalArgumentException if an annotation's value is below 1
   */
  protected Handler() {
    this(null, true);
  }

  /**
   * Makes a handler of work that is declared here; annotations of the class are not looked at.
   *
   * @param work what is known of it
   */
  protected Handler(Work work) {
    this(Objects.requireNonNull(work, "work"), false);
  }

  /** Either is given the work, or reads it from the class, which only an instance can name. */
  private Handler(@Nullable Work work, boolean annotated) {
    Work known = work == null || annotated ? Work.of(getClass()) : work;
    declaredCost = known.costNanos();
    declaredPenalty = known.penalty();
    penalty = Math.max(1, declaredPenalty);
    if (declaredCost == 0 && known.estimateNanos() != 0) {
      measured = known.estimateNanos();
      samples = 1;
    }
    publish(declaredCost != 0 ? declaredCost : known.estimateNanos());
  }

  /**
   * Makes a handler that begins with the figures of another: for handlers made one per connection,
   * say, which do what those before them did.
   *
   * @param like declared figures are taken over; measured ones are where this handler's begin
   */
  protected Handler(Handler<?> like) {
    declaredCost = like.declaredCost;
    declaredPenalty = like.declaredPenalty;
    measured = like.measured;
    samples = like.samples;
    excess = like.excess;
    usualPrice = like.usualPrice;
    penalty = like.penalty;
    publish(like.cost);
  }

  /** Handles one event, serially with all other events of its color. */
  public abstract void handle(E event) throws Exception;

  /**
   * Called in place of {@link #handle} when the runtime has shut down before the event could run,
   * the event was dropped, or memory ran out as its color was to be queued. Does nothing by
   * default. Runs on whichever thread found the event, one at a time per color.
   *
   * @param event the event that will never run
   */
  protected void rejected(E event) {}

  /**
   * Whether the oldest of this handler's events may be dropped when there are too many: they are
   * then {@linkplain #rejected rejected} in place of the new ones. Asked often; must be constant.
   *
   * @return false by default
   * @see MelyBuilder#maxPendingPerColor
   */
  protected boolean isDroppable() {
    return false;
  }

  /**
   * Returns the name of the stage that this handler is, where the program's {@linkplain Mely#stages
   * stages} are recorded: handlers of one name are one stage. By default the name of the class,
   * without its package; of a function, that {@linkplain Work#named of its work}, else one that is
   * made of the class that the function is written in. Asked for each event then; must be constant,
   * and not empty.
   *
   * @return a name
   */
  public String stage() {
    return StageNames.of(getClass());
  }

  /**
   * Returns whose code the handler runs, where stages are recorded: their names are shown, and
   * their annotations say what the stage allocates and frees. By default its own class, or that of
   * its function. Asked once for each stage and core, in the color of an event.
   *
   * @return classes, in the order in which they have their turn
   */
  public List<Class<?>> parts() {
    return List.of(getClass());
  }

  /**
   * Makes a handler of a function; its cost and its penalty are measured.
   *
   * @param action the code to run per event
   * @return a new handler
   */
  public static <E> Handler<E> of(Action<? super E> action) {
    return of(action, Work.measured());
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
    return of(action, Work.measured().cost(cost).penalty(penalty));
  }

  /**
   * Makes a handler of a function.
   *
   * @param action the code to run per event
   * @param work what is known of it
   * @return a new handler
   */
  public static <E> Handler<E> of(Action<? super E> action, Work work) {
    return new ActionHandler<>(action, Objects.requireNonNull(work, "work"));
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
   * Returns the divisor of the cost as a thief sees it: declared, or measured so far.
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
    long bound = seen == 0 ? nanos : Math.max(OUTLIER_NANOS, OUTLIER_TIMES * old);
    long now = old + (Math.min(nanos, bound) - old) / divisor;
    if (seen < FIRST_SAMPLES) {
      samples = seen + 1;
    }
    measured = now;
    if (excess > 0) {
      forget();
    }
    // Every producer reads the published cost: move it only if it is off by more than an eighth.
    if (declaredCost == 0 && Math.abs(now - cost) > cost >> 3) {
      publish(now);
    }
  }

  /**
   * Takes the price of one steal of this handler's colors into the measured penalty: penalty p
   * makes a color worthy if its work exceeds p times the usual price, so p is how many times the
   * usual price these steals cost (Mely, section VII, future work). Any thief; races are benign.
   *
   * @param nanos the search, and how much longer the stolen events took than they usually do
   * @param usual what a steal costs on average, in nanoseconds
   */
  final void observeDrag(long nanos, long usual) {
    if (declaredPenalty != 0) {
      return;
    }
    // A step is bounded by what is known already, so that one preempted thief proves nothing.
    long step = Math.abs(excess) + usual;
    long off = nanos - usual - excess;
    excess += Math.max(-step, Math.min(step, off)) / 4;
    usualPrice = Math.max(1, usual);
    settlePenalty();
  }

  /** A penalty keeps thieves away, and would for ever: it wears off while no steal renews it. */
  private void forget() {
    excess -= (excess >> 6) + 1;
    settlePenalty();
  }

  /** Moves the penalty if it is off by three quarters and an eighth: no flapping between two. */
  private void settlePenalty() {
    long eighths = 8 + 8 * Math.max(0, excess) / usualPrice;
    if (Math.abs(eighths - 8L * penalty) > Math.max(6, penalty)) {
      penalty = (int) Math.min((eighths + 4) / 8, MAX_PENALTY);
      publish(cost);
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
   * Makes a handler of a function, and names it; its cost and its penalty are measured.
   *
   * @param stage its {@linkplain #stage name}, not empty
   * @param action the code to run per event
   * @return a new handler
   * @throws IllegalArgumentException if the name is empty
   */
  public static <E> Handler<E> named(String stage, Action<? super E> action) {
    return of(action, Work.measured().named(stage));
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

  private static final class ActionHandler<E> extends Handler<E> {
    private final Action<? super E> action;
    private final @Nullable String name;

    ActionHandler(Action<? super E> action, Work work) {
      super(work);
      this.action = Objects.requireNonNull(action, "action");
      this.name = work.name();
    }

    @Override
    public String stage() {
      return name != null ? name : StageNames.of(action.getClass());
    }

    @Override
    public List<Class<?>> parts() {
      return List.of(action.getClass());
    }

    @Override
    public void handle(E event) throws Exception {
      action.handle(event);
    }
  }
}

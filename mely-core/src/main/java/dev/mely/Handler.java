package dev.mely;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Handles events of one kind, and carries what the scheduler knows about that work: its cost and
 * its penalty.
 *
 * <p>Make one handler per kind of work, once, and register it with many events: either a subclass,
 * which may be annotated with {@link Cost} and {@link Penalty}, or a lambda, which is given the
 * same words:
 *
 * <pre>{@code
 * Handler.of(this::encrypt).cost(Duration.ofMicros(80)).penalty(10).named("Encrypt");
 * }</pre>
 *
 * <p>What is not declared is measured: the runtime times a handler's first runs and then a sample,
 * and what stealing its colors costs, and keeps moving averages (Mely, section VII, future work).
 *
 * <p>Thread-safe as far as this class goes: events of different colors run the same handler in
 * parallel, so a subclass's own fields need care. The measured figures are racy on purpose: a lost
 * update costs one sample.
 *
 * @param <E> what it handles
 */
public abstract class Handler<E> extends HandlerCost {
  /**
   * Makes a handler whose cost and penalty are those of the class's annotations, and measured where
   * there are none.
   *
   * @throws IllegalArgumentException if an annotation's value is below 1
   */
  protected Handler() {
    super((Work) null);
  }

  /**
   * Makes a handler that begins with the figures of another: for handlers made one per connection,
   * say, which do what those before them did. Annotations of the class are not looked at.
   *
   * @param like declared figures are taken over; measured ones are where this handler's begin
   */
  protected Handler(Handler<?> like) {
    super((HandlerCost) Objects.requireNonNull(like, "like"));
  }

  /** Makes a handler of work that is declared here; annotations of the class are not looked at. */
  Handler(Work work) {
    super(Objects.requireNonNull(work, "work"));
  }

  /** Handles one event, serially with all other events of its color. */
  public abstract void handle(E event) throws Exception;

  /**
   * Called in place of {@link #handle} when the runtime has shut down before the event could run,
   * the event was dropped, or memory ran out as its color was to be queued. Does nothing by
   * default. Runs on the thread that found the event, one at a time per color.
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
   * Returns the name of the stage that this handler is, where the program's {@linkplain
   * Inspection#stages stages} are recorded: handlers of one name are one stage. By default the name
   * of the class, without its package; of a lambda the name that {@linkplain OfAction#named it was
   * given}, else one made of the class that the lambda is written in and, if it has several, a
   * number that may differ from run to run. Asked for each event then; must be constant, and not
   * empty. {@link #toString} calls it.
   *
   * @return a name
   */
  protected String stage() {
    return StageNames.of(getClass());
  }

  /**
   * Returns what the handler is called in logs, dumps and flight recordings.
   *
   * @return the name of its {@linkplain #stage stage} by default
   */
  @Override
  public String toString() {
    return stage();
  }

  /**
   * Returns whose code the handler runs, where stages are recorded: their names are shown, and
   * their annotations say what the stage allocates and frees. By default its own class, or that of
   * its lambda. Asked once for each stage and core, in the color of an event.
   *
   * @return classes, in the order in which they have their turn
   */
  protected List<Class<?>> parts() {
    return List.of(getClass());
  }

  /**
   * Returns the handler whose {@link #stage} and {@link #parts} are recorded: another one if this
   * handler only wraps it. That one's own answer is not asked for.
   *
   * @return this handler by default
   */
  protected Handler<?> recordedAs() {
    return this;
  }

  /**
   * Returns the cost of one event as the heuristics see it: declared, or measured so far.
   *
   * @return nanoseconds; 0 if it is neither declared nor measured yet
   */
  public final long costNanos() {
    return cost();
  }

  /**
   * Returns the divisor of the cost as a thief sees it: declared, or measured so far.
   *
   * @return 1 or more
   */
  public final int penalty() {
    return divisor();
  }

  /**
   * Makes a handler of a lambda; its cost and its penalty are measured unless they are declared.
   *
   * <p>Where the lambda's parameter has no type and a method is called on the result, the compiler
   * takes it for an {@code Object}. Give it one: {@code Handler.of((Picture p) -> shrink(p))}.
   *
   * @param action the code to run per event
   * @return a new handler
   */
  public static <E> OfAction<E> of(Action<? super E> action) {
    return new OfAction<>(action, Work.MEASURED);
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

  /**
   * A handler that runs a lambda. Its methods declare what {@link Cost} and {@link Penalty} declare
   * of a class. Each returns a new handler and leaves this one as it is; the new one begins its
   * measurements anew. So declare first, and keep the handler that comes out.
   *
   * @param <E> what it handles
   */
  public static final class OfAction<E> extends Handler<E> {
    private final Action<? super E> action;
    private final Work work;

    private OfAction(Action<? super E> action, Work work) {
      super(work);
      this.action = Objects.requireNonNull(action, "action");
      this.work = work;
    }

    /**
     * Declares the cost, so that it is not measured.
     *
     * @param time average processing time of one event, more than zero
     * @return a new handler
     * @throws IllegalArgumentException if zero or negative
     */
    public OfAction<E> cost(Duration time) {
      return new OfAction<>(action, work.cost(time));
    }

    /**
     * Says where a measured cost begins: counts as the first measurement. No effect on a declared
     * one.
     *
     * @param time of one event, more than zero
     * @return a new handler
     * @throws IllegalArgumentException if zero or negative
     */
    public OfAction<E> estimate(Duration time) {
      return new OfAction<>(action, work.estimate(time));
    }

    /**
     * Declares the penalty, so that it is not measured.
     *
     * @param divisor of the cost in the eyes of a thief, 1 or more
     * @return a new handler
     * @throws IllegalArgumentException if below 1
     */
    public OfAction<E> penalty(int divisor) {
      return new OfAction<>(action, work.penalty(divisor));
    }

    /**
     * Declares that this work was handed over, and that the event loop that did so goes on
     * meanwhile. Where the cheapest goes first ({@link MelyBuilder.Order#CHEAPEST_FIRST}), its
     * batches of 64 µs or more go after those of other handlers; of five long turns of a core at
     * least one is theirs. Else an event loop that feeds all cores would wait behind what it has
     * fed them. Shorter batches, rotation and stealing are not affected. Tasks of the runtime's
     * executors are in the background. A subclass of {@link Handler} begins {@linkplain
     * Handler#Handler(Handler) like} such a handler.
     *
     * @return a new handler
     */
    public OfAction<E> background() {
      return new OfAction<>(action, work.inBackground());
    }

    /**
     * Names the handler, for people: the name is its {@linkplain #stage stage}.
     *
     * @param stage a name, not empty
     * @return a new handler
     * @throws IllegalArgumentException if it is empty
     */
    public OfAction<E> named(String stage) {
      return new OfAction<>(action, work.named(stage));
    }

    @Override
    protected String stage() {
      String name = work.name();
      return name != null ? name : StageNames.of(action.getClass());
    }

    @Override
    protected List<Class<?>> parts() {
      return List.of(action.getClass());
    }

    @Override
    public void handle(E event) throws Exception {
      action.handle(event);
    }
  }
}

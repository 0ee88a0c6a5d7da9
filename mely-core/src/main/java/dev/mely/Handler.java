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
   * Makes a handler of work that is declared here; annotations of the class are not looked at.
   *
   * @param work what is known of it
   */
  protected Handler(Work work) {
    super(Objects.requireNonNull(work, "work"));
  }

  /**
   * Makes a handler that begins with the figures of another: for handlers made one per connection,
   * say, which do what those before them did.
   *
   * @param like declared figures are taken over; measured ones are where this handler's begin
   */
  protected Handler(Handler<?> like) {
    super((HandlerCost) like);
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
   * Returns the name of the stage that this handler is, where the program's {@linkplain
   * Inspection#stages stages} are recorded: handlers of one name are one stage. By default the name
   * of the class, without its package; of a function, that {@linkplain Work#named of its work},
   * else one that is made of the class that the function is written in. Asked for each event then;
   * must be constant, and not empty.
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

package dev.mely;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a handler's work before it has run. What is not declared is measured. Immutable.
 *
 * <pre>{@code
 * Handler.of(this::encrypt, Work.measured().cost(Duration.ofMicros(80)).penalty(10));
 * }</pre>
 *
 * <p>Source: Mely, sections III-B and III-C.
 */
public final class Work {
  private static final Work MEASURED = new Work(0, 0, 0, null);

  /** In nanoseconds; 0: not declared. */
  private final long cost;

  /** In nanoseconds; 0: there is none. */
  private final long estimate;

  /** 0: not declared. */
  private final int penalty;

  /** Null: the handler's class has one. */
  private final @Nullable String name;

  private Work(long cost, long estimate, int penalty, @Nullable String name) {
    this.cost = cost;
    this.estimate = estimate;
    this.penalty = penalty;
    this.name = name;
  }

  /**
   * Returns work of which nothing is known.
   *
   * @return cost and penalty are to be measured
   */
  public static Work measured() {
    return MEASURED;
  }

  /**
   * Declares the cost, so that it is not measured.
   *
   * @param time average processing time of one event, more than zero
   * @return work with this cost
   * @throws IllegalArgumentException if zero or negative
   */
  public Work cost(Duration time) {
    return new Work(positive("cost", time), estimate, penalty, name);
  }

  /**
   * Says where a measured cost begins: counts as the first measurement. No effect on a declared
   * one.
   *
   * @param time of one event, more than zero
   * @return work with this estimate
   * @throws IllegalArgumentException if zero or negative
   */
  public Work estimate(Duration time) {
    return new Work(cost, positive("estimate", time), penalty, name);
  }

  /**
   * Declares the penalty, so that it is not measured.
   *
   * @param divisor of the cost in the eyes of a thief, 1 or more
   * @return work with this penalty
   * @throws IllegalArgumentException if below 1
   */
  public Work penalty(int divisor) {
    if (divisor < 1) {
      throw new IllegalArgumentException("penalty must be 1 or more, but is " + divisor);
    }
    return new Work(cost, estimate, divisor, name);
  }

  /**
   * Names the handler, for people: it is the {@linkplain Handler#stage stage} of a handler that is
   * a function, which has no other name.
   *
   * @param stage a name, not empty
   * @return work with this name
   * @throws IllegalArgumentException if it is empty
   */
  public Work named(String stage) {
    if (stage.isEmpty()) {
      throw new IllegalArgumentException("the name is empty");
    }
    return new Work(cost, estimate, penalty, stage);
  }

  private static long positive(String name, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero, but is " + time);
    }
    return Nanos.of(time);
  }

  /** What the annotations of a class declare. */
  static Work of(AnnotatedElement element) {
    Cost cost = element.getAnnotation(Cost.class);
    Penalty penalty = element.getAnnotation(Penalty.class);
    Work work = MEASURED;
    if (cost != null) {
      work = work.cost(Duration.ofNanos(cost.nanos()));
    }
    return penalty == null ? work : work.penalty(penalty.value());
  }

  /** 0: not declared. */
  long costNanos() {
    return cost;
  }

  /** 0: there is none. */
  long estimateNanos() {
    return estimate;
  }

  /** Null: there is none. */
  @Nullable String name() {
    return name;
  }

  /** 0: not declared. */
  int penalty() {
    return penalty;
  }
}

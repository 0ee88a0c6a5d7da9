package dev.mely;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is declared of a handler's work before it has run. What is not declared is measured.
 * Immutable.
 *
 * <p>Source: Mely, sections III-B and III-C.
 *
 * @param costNanos of one event; 0: not declared
 * @param estimateNanos where a measured cost begins; 0: there is no estimate
 * @param penalty divisor of the cost; 0: not declared
 * @param background whether long events go after those of other handlers
 * @param name the stage; null: the class of the handler has one
 */
record Work(
    long costNanos, long estimateNanos, int penalty, boolean background, @Nullable String name) {
  /** Nothing declared. */
  static final Work MEASURED = new Work(0, 0, 0, false, null);

  Work cost(Duration time) {
    return new Work(positive("cost", time), estimateNanos, penalty, background, name);
  }

  Work estimate(Duration time) {
    return new Work(costNanos, positive("estimate", time), penalty, background, name);
  }

  Work penalty(int divisor) {
    if (divisor < 1) {
      throw new IllegalArgumentException("penalty must be 1 or more, but is " + divisor);
    }
    return new Work(costNanos, estimateNanos, divisor, background, name);
  }

  Work inBackground() {
    return new Work(costNanos, estimateNanos, penalty, true, name);
  }

  Work named(String stage) {
    if (Objects.requireNonNull(stage, "stage").isEmpty()) {
      throw new IllegalArgumentException("the name is empty");
    }
    return new Work(costNanos, estimateNanos, penalty, background, stage);
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

  private static long positive(String name, Duration time) {
    if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero, but is " + time);
    }
    return Nanos.of(time);
  }
}

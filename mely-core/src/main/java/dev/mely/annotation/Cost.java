package dev.mely.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares how long one run of a handler takes, on average, in nanoseconds.
 *
 * <p>The runtime sums the costs of a color's pending events to decide whether the color is worth
 * stealing. A declared cost wins over the one that the runtime measures. Source: Mely, section
 * III-B ("annotating the code of handlers" after profiling).
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Cost {
  /**
   * Returns the average processing time of one event.
   *
   * @return nanoseconds, 1 or more
   */
  long nanos();
}

package dev.mely.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares how unattractive a handler's events are to a thief, because they touch a large data set
 * that outlives them and that would have to be dragged to the thief's cache.
 *
 * <p>An event counts for {@code cost / penalty} when the time left of its color is summed. Source:
 * Mely, sections III-C and IV-B (c).
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Penalty {
  /**
   * Returns the divisor of the cost.
   *
   * @return a factor without unit, 1 (no penalty) or more
   */
  int value();
}

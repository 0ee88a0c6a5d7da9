package dev.mely.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares what a handler frees of that which earlier stages of the task, or itself, {@linkplain
 * Allocates allocated}.
 *
 * <p>Source: the Stingy Allocator, section 4.1 ({@code Free}).
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Frees {
  /**
   * Returns what is freed.
   *
   * @return names of objects, one or more
   */
  String[] value();
}

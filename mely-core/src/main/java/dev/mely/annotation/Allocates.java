package dev.mely.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares what a handler allocates for the task that it works for: an object that outlives one run
 * at most until a stage that {@linkplain Frees frees} it. Repeatable, in the order of allocation.
 *
 * <p>A declared size or number wins over what a recording of the program's stages has measured.
 * Source: the Stingy Allocator, section 4.2.4 ({@code stingy_size}, {@code stingy_count}).
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Repeatable(Allocates.List.class)
public @interface Allocates {
  /**
   * Returns what is allocated.
   *
   * @return a name, which the stage that frees it uses too
   */
  String value();

  /**
   * Returns how large one instance may be.
   *
   * @return bytes; 0: to be measured
   */
  int bytes() default 0;

  /**
   * Returns how many instances a task may have at a time. Needed for an object that is allocated in
   * a cycle of stages: it is not planned for otherwise.
   *
   * @return a number; 0: to be measured
   */
  int count() default 0;

  /** Several of them. */
  @Documented
  @Inherited
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  @interface List {
    /**
     * Returns all of them.
     *
     * @return in their order
     */
    Allocates[] value();
  }
}

package dev.mely.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the color under which a handler runs, if that is not the color of the event's source: in
 * Netty, of its channel. All handlers that name the same color exclude each other, over all
 * channels of one event loop group, so what they share needs no lock. Those that only {@linkplain
 * Access#READ read} run beside each other, and exclude those that write:
 *
 * <pre>{@code
 * @Color("page-cache")
 * class PageCacheUpdate extends SimpleChannelInboundHandler<Page> { .. } // alone
 *
 * @Color(value = "page-cache", access = Access.READ)
 * class PageCacheLookUp extends SimpleChannelInboundHandler<String> { .. } // beside other channels'
 * }</pre>
 *
 * <p>Two modules that choose the same name by accident lose speed, never correctness. Read by
 * {@code dev.mely.netty.ColoredInitializer}. Source: libasync-smp, section 3 (colors name what must
 * not run in parallel); Eve, section 2 (permissions).
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Color {
  /**
   * Returns the name of the color.
   *
   * @return not empty; equal names are one color, that of this {@code Mely.color(Object)} key
   */
  String value();

  /**
   * Returns what the handler does to what the color stands for.
   *
   * @return to write it, unless said otherwise
   */
  Access access() default Access.WRITE;
}

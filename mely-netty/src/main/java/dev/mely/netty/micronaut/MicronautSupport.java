package dev.mely.netty.micronaut;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.ApplicationContextConfigurer;

/**
 * Puts the event loops of a Micronaut application on Mely: Micronaut finds this class by the
 * service loader, and calls it when it has read the configuration and made no bean yet.
 *
 * <p>The bean is defined here and not by annotations: what Micronaut's annotation processor makes
 * of those belongs to one of its versions, and this class serves 4.10 and 5.
 *
 * <p>The property {@code mely.enabled}, false, switches this off.
 */
public final class MicronautSupport implements ApplicationContextConfigurer {
  /** Called by the service loader. */
  public MicronautSupport() {}

  @Override
  public void configure(ApplicationContext context) {
    if (context.getProperty("mely.enabled", Boolean.class).orElse(true)) {
      try {
        MelyLoops.register(context);
      } catch (NoClassDefFoundError e) {
        // An application without micronaut-http-netty has no event loops. Where this jar is a
        // Java agent, mely-core is not on the class path, and the agent does it.
      }
    }
  }
}

package dev.mely.netty.vertx;

import dev.mely.Mely;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.transport.Transport;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Puts the event loops of Vert.x on Mely: Vert.x finds this class by the service loader, and calls
 * it before it makes a {@code Vertx}. Its own NIO and epoll become the same with Mely's group. A
 * transport of another class stays: the program has chosen it, or its channels cannot be stolen.
 *
 * <p>The system property {@code dev.mely.vertx=false} switches this off.
 */
public final class VertxSupport implements VertxServiceProvider {
  static final String PROPERTY = "dev.mely.vertx";

  private static final System.Logger LOGGER = System.getLogger("dev.mely.netty");

  /** Called by the service loader. */
  public VertxSupport() {}

  /**
   * Chooses the transport.
   *
   * @throws IllegalArgumentException if the property is neither true nor false
   */
  @Override
  public void init(VertxBootstrap bootstrap) {
    if (isOn() && hasCore()) {
      try {
        bootstrap.transport(onMely(bootstrap.transport()));
      } catch (LinkageError e) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "Vert.x keeps Netty's event loops. If it is a module, java needs the option"
                + " --add-exports io.vertx.core/io.vertx.core.impl.transports=ALL-UNNAMED;"
                + " if it is older than 5.0.11, Mely needs a newer one: "
                + e);
      }
    }
  }

  /** Where this jar is a Java agent, mely-core is not on the class path, and the agent does it. */
  private static boolean hasCore() {
    try {
      return Mely.class.getName() != null;
    } catch (NoClassDefFoundError e) {
      return false;
    }
  }

  private static boolean isOn() {
    String text = System.getProperty(PROPERTY, "true");
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "system property " + PROPERTY + " must be true or false, but is '" + text + "'");
    };
  }

  private static Transport onMely(@Nullable Transport chosen) {
    if (chosen == null || chosen.getClass() == NioTransport.class) {
      return new NioOnMely("NIO");
    }
    if (chosen.getClass() != EpollTransport.class) {
      return chosen;
    }
    // Vert.x would go back to its own NIO where epoll is missing.
    return chosen.isAvailable()
        ? new EpollOnMely()
        : new NioOnMely("NIO, because epoll is not available: " + chosen.unavailabilityCause());
  }
}

package dev.mely.netty;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The only class that tells transports apart: by name, and by the I/O handlers that they make. */
final class Transports {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.netty");

  /** All that {@link #named} knows, in the order in which they are tried. */
  private static final List<String> NAMES = List.of("nio", "epoll", "io_uring", "kqueue");

  private Transports() {}

  /**
   * Returns the transport of a name.
   *
   * @throws IllegalArgumentException if the name is unknown
   * @throws LinkageError if its classes are missing
   */
  static Transport named(String name) {
    return named(name, false);
  }

  private static Transport named(String name, boolean boundToThread) {
    return switch (name) {
      case "nio" -> new NioTransport(boundToThread);
      case "epoll" -> new EpollTransport(boundToThread);
      case "io_uring" -> new IoUringTransport();
      case "kqueue" -> new KQueueTransport();
      default ->
          throw new IllegalArgumentException(
              "unknown transport '" + name + "'; known: auto, " + String.join(", ", NAMES));
    };
  }

  /**
   * Recognizes the transport of an I/O handler.
   *
   * @param factory the factory that made it, and says whether it is bound to its thread
   * @param io an I/O handler
   */
  static Transport of(IoHandlerFactory factory, IoHandler io) {
    for (String name : NAMES) {
      try {
        Transport candidate = named(name, !factory.isChangingThreadSupported());
        if (candidate.serves(io)) {
          return candidate;
        }
      } catch (LinkageError e) {
        // Without its classes the handler cannot be of this transport.
      }
    }
    return new OtherTransport(factory, NAMES);
  }

  /**
   * Makes the factory of I/O handlers of a transport. If {@code auto} finds no epoll, it is NIO's,
   * and the log says so.
   *
   * @param name a known name, or {@code auto}: epoll, because its channels can be stolen; case does
   *     not matter
   * @throws IllegalArgumentException if the name is unknown, or the transport is not available
   */
  static IoHandlerFactory newFactory(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean auto = lower.equals("auto");
    String wanted = auto ? "epoll" : lower;
    @Nullable Throwable cause;
    try {
      Transport transport = named(wanted);
      cause = transport.unavailabilityCause();
      if (cause == null) {
        return transport.newFactory();
      }
    } catch (LinkageError e) {
      cause = e; // the classes of the optional dependency are missing
    }
    if (!auto) {
      throw unavailable(wanted, cause);
    }
    LOGGER.log(System.Logger.Level.INFO, "epoll is not available, using NIO: " + cause);
    return named("nio").newFactory();
  }

  private static IllegalArgumentException unavailable(String name, Throwable cause) {
    return new IllegalArgumentException(
        "transport '"
            + name
            + "' is not available here ("
            + cause
            + "); it needs io.netty:netty-transport-native-"
            + name
            + ", in Netty's version and with this platform's classifier, on the class path",
        cause);
  }
}

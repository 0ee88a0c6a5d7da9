package dev.mely.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandlerFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the builder and the group need of a transport that comes with native code.
 *
 * <p>Its classes are an optional dependency. Each subclass is the only one that touches those of
 * its transport, and every method may throw a {@link LinkageError} because they are missing.
 */
abstract class NativeTransport {
  /** The names that {@link #named} knows. */
  static final List<String> NAMES = List.of("epoll", "io_uring", "kqueue");

  /** The transport of a name. */
  static NativeTransport named(String name) {
    return switch (name) {
      case "epoll" -> new EpollNatives();
      case "io_uring" -> new IoUringNatives();
      case "kqueue" -> new KQueueNatives();
      default -> throw new IllegalArgumentException("unknown transport '" + name + "'");
    };
  }

  /** Why the native code, or the kernel, cannot serve; null if it can. */
  abstract @Nullable Throwable unavailabilityCause();

  /** Makes the factory of I/O handlers. Only if available. */
  abstract IoHandlerFactory newFactory();

  /** What tells that a group is of this transport. */
  abstract Class<? extends IoHandle> handleType();

  abstract ChannelTypes channelTypes();
}

package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A kind of I/O, and all that the group has to know of it. One class for each; {@link Transports}
 * recognizes them.
 *
 * <p>The classes of the native ones are optional dependencies. Each of those transports, with its
 * registration, is the only one to touch them, and all methods here may throw a {@link
 * LinkageError} because they are missing.
 *
 * <p>Immutable once the group runs.
 */
abstract class Transport {
  private final boolean boundToThread;

  /**
   * @param boundToThread whether channels are served by the thread that polls, and by no other
   */
  Transport(boolean boundToThread) {
    this.boundToThread = boundToThread;
  }

  /**
   * Whether channels are served by the thread that polls, and by no other. If not, they are free to
   * make system calls and to change their interest anywhere, and so have colors that move.
   */
  final boolean isBoundToThread() {
    return boundToThread;
  }

  /** Whether a handler is of this transport. */
  abstract boolean serves(IoHandler io);

  /** Why the classes, the native code, or the kernel, cannot serve; null if they can. */
  @Nullable Throwable unavailabilityCause() {
    return null;
  }

  /** Makes the factory of I/O handlers. Only if available. */
  abstract IoHandlerFactory newFactory();

  /**
   * The channel classes that fit.
   *
   * @throws IllegalStateException if the transport has no sockets, or is not known
   */
  abstract ChannelTypes channelTypes();

  /** The shortest wait that the handler does not take for none, in nanoseconds. */
  long minWaitNanos() {
    return 0;
  }

  /**
   * Section: prepares for a core's handler, before any channel is registered. Not called if it is
   * bound to its thread.
   */
  void prepare(int core, IoHandler io) throws Exception {}

  /**
   * Makes the registration of a handle, which has to {@linkplain Served#enter enter} the handler.
   *
   * @param loop the event loop
   * @param handle the channel's handle, of a type that the handler takes
   * @param channel the channel, if it is known
   * @throws IllegalArgumentException if the handle is of another kind
   */
  Served newRegistration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    return new PinnedRegistration(loop, handle, channel);
  }

  static IllegalArgumentException unsupported(IoHandle handle) {
    return new IllegalArgumentException(
        "IoHandle of type " + handle.getClass().getName() + " not supported");
  }
}

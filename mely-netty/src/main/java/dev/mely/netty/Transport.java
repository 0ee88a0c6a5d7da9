package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A kind of I/O, and all that the group has to know of it. One class for each; {@link Transports}
 * recognizes them. The package's description says what a new one needs.
 *
 * <p>The native ones are optional dependencies: their classes are touched by the transport and its
 * registration alone, and each method here may throw a {@link LinkageError} because they are
 * missing.
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
   * Whether channels are served by the thread that polls, and by no other. If not, system calls and
   * changes of interest are allowed on any thread, so channels have colors that move.
   */
  final boolean isBoundToThread() {
    return boundToThread;
  }

  /** Whether a handler is of this transport. */
  abstract boolean serves(IoHandler io);

  /**
   * Why the transport cannot be used here (no classes, no native code, no support of the kernel);
   * null if it can.
   */
  @Nullable Throwable unavailabilityCause() {
    return null;
  }

  /** Makes the factory of I/O handlers. Only if the transport can be used. */
  abstract IoHandlerFactory newFactory();

  /**
   * The channel classes that fit.
   *
   * @throws IllegalStateException if the transport has no sockets, or is not known
   */
  abstract ChannelTypes channelTypes();

  /**
   * The shortest wait, in nanoseconds: less than this the handler rounds down to no wait at all.
   */
  long minWaitNanos() {
    return 0;
  }

  /**
   * Section: prepares for a core's handler, before the first channel is registered. Not called for
   * a transport that is bound to its thread.
   */
  void prepare(int core, IoHandler io) throws Exception {}

  /**
   * Makes the registration of a handle; the caller then {@linkplain LoopRegistration#registerWith
   * registers} it with the I/O handler.
   *
   * @param loop the event loop
   * @param handle the channel's handle, of a type that the handler takes
   * @param channel the channel, if it is known
   * @throws IllegalArgumentException if the handle is of another kind
   */
  LoopRegistration newRegistration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    return new PinnedRegistration(loop, handle, channel);
  }

  static IllegalArgumentException unsupported(IoHandle handle) {
    return new IllegalArgumentException(
        "IoHandle of type " + handle.getClass().getName() + " not supported");
  }
}

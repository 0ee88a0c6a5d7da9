package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandle;
import org.jspecify.annotations.Nullable;

/**
 * A kind of I/O whose registrations may be served on any thread, because its channels are free to
 * make system calls and to change their interest anywhere. Immutable once the group runs.
 */
abstract class Transport {
  /**
   * Makes the two-sided registration of a handle.
   *
   * @param loop the color
   * @param handle the channel's handle, of a type that the handler takes
   * @param channel the channel, if it is known
   * @throws IllegalArgumentException if the handle is of another kind
   */
  abstract Registration newRegistration(
      ColorEventLoop loop, IoHandle handle, @Nullable Channel channel);

  /** Prepares for a core's handler, before any channel is registered. */
  void prepare(int core, IoHandler io) throws Exception {}

  /**
   * Recognizes the transport of a handler.
   *
   * @param factory who made the handler
   * @param io a handler
   * @param cores number of cores
   * @return null if its registrations must be served by the thread that polls: because the factory
   *     says so (io_uring, local), or because nothing is known of it
   */
  static @Nullable Transport of(IoHandlerFactory factory, IoHandler io, int cores) {
    if (!factory.isChangingThreadSupported()) {
      return null;
    }
    if (io.isCompatible(NioIoHandle.class)) {
      return new Nio();
    }
    try {
      return EpollTransport.serves(io) ? new EpollTransport(cores) : null;
    } catch (LinkageError e) {
      return null; // no epoll classes, so it is not epoll
    }
  }

  static IllegalArgumentException unsupported(IoHandle handle) {
    return new IllegalArgumentException(
        "IoHandle of type " + handle.getClass().getName() + " not supported");
  }

  /** Selectors. */
  private static final class Nio extends Transport {
    @Override
    Registration newRegistration(ColorEventLoop loop, IoHandle handle, @Nullable Channel channel) {
      if (handle instanceof NioIoHandle nio) {
        return new NioRegistration(loop, nio, channel);
      }
      throw unsupported(handle);
    }
  }
}

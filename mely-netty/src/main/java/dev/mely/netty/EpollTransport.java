package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.unix.FileDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Native epoll. Needs the epoll classes, as {@link EpollRegistration} does; they are optional, so
 * callers must expect a {@link LinkageError}.
 *
 * <p>All registrations of one handler share native arrays for the arguments of system calls. They
 * belong to whoever polls and serves; here channels are served elsewhere, so each core uses those
 * of its own handler, wherever a channel is registered.
 */
final class EpollTransport extends Transport {
  private final Object[] attachments;

  EpollTransport(int cores) {
    attachments = new Object[cores];
  }

  static boolean serves(IoHandler io) {
    return io.isCompatible(EpollIoHandle.class);
  }

  @Override
  void prepare(int core, IoHandler io) throws Exception {
    // The arrays are handed out by registrations only. This one is never told to the kernel.
    IoRegistration probe = io.register(new Probe());
    attachments[core] = probe.attachment();
    probe.cancel();
  }

  /** The native arrays of a core, for its worker. */
  Object attachment(int core) {
    return attachments[core];
  }

  @Override
  Registration newRegistration(ColorEventLoop loop, IoHandle handle, @Nullable Channel channel) {
    if (handle instanceof EpollIoHandle epoll) {
      return new EpollRegistration(loop, epoll, channel, this);
    }
    throw unsupported(handle);
  }

  /** Stands in for a channel. Its descriptor is closed, so nobody tries to remove it. */
  private static final class Probe implements EpollIoHandle {
    @Override
    public FileDescriptor fd() {
      return new FileDescriptor(Integer.MAX_VALUE) {
        @Override
        public boolean isOpen() {
          return false;
        }
      };
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {}

    @Override
    public void close() {}
  }
}

package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Linux: native epoll, level-triggered.
 *
 * <p>All registrations of one I/O handler share native arrays for the arguments of system calls,
 * for the thread that polls. Here another core may serve the channel; each core uses the arrays of
 * its own handler, also for channels that are registered elsewhere.
 */
final class EpollTransport extends Transport {
  /** By core. Complete before the group runs. */
  private Object[] attachments = {};

  EpollTransport(boolean boundToThread) {
    super(boundToThread);
  }

  @Override
  boolean serves(IoHandler io) {
    return io.isCompatible(EpollIoHandle.class);
  }

  @Override
  @Nullable Throwable unavailabilityCause() {
    return Epoll.unavailabilityCause();
  }

  @Override
  IoHandlerFactory newFactory() {
    return EpollIoHandler.newFactory();
  }

  @Override
  ChannelTypes channelTypes() {
    return new ChannelTypes(
        EpollServerSocketChannel.class, EpollSocketChannel.class, EpollDatagramChannel.class);
  }

  @Override
  void prepare(int core, IoHandler io) throws Exception {
    // Only a registration hands out the arrays. The kernel never sees this one.
    IoRegistration probe = io.register(new Probe());
    attachments = Arrays.copyOf(attachments, Math.max(attachments.length, core + 1));
    attachments[core] = probe.attachment();
    probe.cancel();
  }

  /** The native arrays of a core, for its worker. */
  Object attachment(int core) {
    return attachments[core];
  }

  @Override
  LoopRegistration newRegistration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    if (isBoundToThread()) {
      return super.newRegistration(loop, handle, channel);
    }
    if (handle instanceof EpollIoHandle epoll) {
      return new EpollRegistration(loop, epoll, channel, this);
    }
    throw unsupported(handle);
  }

  /**
   * Stands in for a channel. Its descriptor counts as closed, so epoll is not asked to remove it.
   */
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

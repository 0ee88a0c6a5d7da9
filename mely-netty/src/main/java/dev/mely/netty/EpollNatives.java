package dev.mely.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import org.jspecify.annotations.Nullable;

/** Linux: epoll, level-triggered. Colored, see {@link EpollTransport}. */
final class EpollNatives extends NativeTransport {
  @Override
  @Nullable Throwable unavailabilityCause() {
    return Epoll.unavailabilityCause();
  }

  @Override
  IoHandlerFactory newFactory() {
    return EpollIoHandler.newFactory();
  }

  @Override
  Class<? extends IoHandle> handleType() {
    return EpollIoHandle.class;
  }

  @Override
  ChannelTypes channelTypes() {
    return new ChannelTypes(
        EpollServerSocketChannel.class, EpollSocketChannel.class, EpollDatagramChannel.class);
  }
}

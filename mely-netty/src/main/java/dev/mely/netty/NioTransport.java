package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import org.jspecify.annotations.Nullable;

/** Selectors. */
final class NioTransport extends Transport {
  /**
   * NIO rounds a wait to the nearest millisecond: asked for less than half of one, it does not wait
   * at all, and the core would spin.
   */
  private static final long MIN_WAIT_NANOS = 500_000;

  NioTransport(boolean boundToThread) {
    super(boundToThread);
  }

  @Override
  boolean serves(IoHandler io) {
    return io.isCompatible(NioIoHandle.class);
  }

  @Override
  IoHandlerFactory newFactory() {
    return NioIoHandler.newFactory();
  }

  @Override
  ChannelTypes channelTypes() {
    return new ChannelTypes(
        NioServerSocketChannel.class, NioSocketChannel.class, NioDatagramChannel.class);
  }

  @Override
  long minWaitNanos() {
    return MIN_WAIT_NANOS;
  }

  @Override
  LoopRegistration newRegistration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    if (isBoundToThread()) {
      return super.newRegistration(loop, handle, channel);
    }
    if (handle instanceof NioIoHandle nio) {
      return new NioRegistration(loop, nio, channel);
    }
    throw unsupported(handle);
  }
}

package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import org.jspecify.annotations.Nullable;

/** Linux: io_uring. A ring belongs to one thread, so channels stay on their core. */
final class IoUringTransport extends Transport {
  IoUringTransport() {
    super(true);
  }

  @Override
  boolean serves(IoHandler io) {
    return io.isCompatible(IoUringIoHandle.class);
  }

  @Override
  @Nullable Throwable unavailabilityCause() {
    return IoUring.unavailabilityCause();
  }

  @Override
  IoHandlerFactory newFactory() {
    return IoUringIoHandler.newFactory();
  }

  @Override
  ChannelTypes channelTypes() {
    return new ChannelTypes(
        IoUringServerSocketChannel.class, IoUringSocketChannel.class, IoUringDatagramChannel.class);
  }

  @Override
  LoopRegistration newRegistration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    return new IoUringRegistration(loop, handle, channel);
  }
}

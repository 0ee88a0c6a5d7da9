package dev.mely.netty;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueDatagramChannel;
import io.netty.channel.kqueue.KQueueIoHandle;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import org.jspecify.annotations.Nullable;

/** macOS and BSD: kqueue. Channels stay on their core. */
final class KQueueTransport extends Transport {
  KQueueTransport() {
    super(true);
  }

  @Override
  boolean serves(IoHandler io) {
    return io.isCompatible(KQueueIoHandle.class);
  }

  @Override
  @Nullable Throwable unavailabilityCause() {
    return KQueue.unavailabilityCause();
  }

  @Override
  IoHandlerFactory newFactory() {
    return KQueueIoHandler.newFactory();
  }

  @Override
  ChannelTypes channelTypes() {
    return new ChannelTypes(
        KQueueServerSocketChannel.class, KQueueSocketChannel.class, KQueueDatagramChannel.class);
  }
}

package dev.mely.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueDatagramChannel;
import io.netty.channel.kqueue.KQueueIoHandle;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import org.jspecify.annotations.Nullable;

/** macOS and BSD: kqueue. Channels stay on their core. */
final class KQueueNatives extends NativeTransport {
  @Override
  @Nullable Throwable unavailabilityCause() {
    return KQueue.unavailabilityCause();
  }

  @Override
  IoHandlerFactory newFactory() {
    return KQueueIoHandler.newFactory();
  }

  @Override
  Class<? extends IoHandle> handleType() {
    return KQueueIoHandle.class;
  }

  @Override
  ChannelTypes channelTypes() {
    return new ChannelTypes(
        KQueueServerSocketChannel.class, KQueueSocketChannel.class, KQueueDatagramChannel.class);
  }
}

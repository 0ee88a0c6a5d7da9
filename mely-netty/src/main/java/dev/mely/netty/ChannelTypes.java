package dev.mely.netty;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** The channel classes of one transport. */
record ChannelTypes(
    Class<? extends ServerSocketChannel> server,
    Class<? extends SocketChannel> client,
    Class<? extends DatagramChannel> datagram) {

  private static final ChannelTypes NIO =
      new ChannelTypes(
          NioServerSocketChannel.class, NioSocketChannel.class, NioDatagramChannel.class);

  /**
   * The channel classes that fit a group.
   *
   * @throws IllegalStateException if the group's transport has no sockets, or is not known
   */
  static ChannelTypes of(IoEventLoopGroup group) {
    if (group.isCompatible(NioIoHandle.class)) {
      return NIO;
    }
    for (String name : NativeTransport.NAMES) {
      try {
        NativeTransport candidate = NativeTransport.named(name);
        if (group.isCompatible(candidate.handleType())) {
          return candidate.channelTypes();
        }
      } catch (LinkageError e) {
        // Without its classes the group cannot be of this transport.
      }
    }
    throw new IllegalStateException("the transport is none of nio, " + NativeTransport.NAMES);
  }
}

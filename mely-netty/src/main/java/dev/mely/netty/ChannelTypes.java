package dev.mely.netty;

import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;

/** The channel classes of one transport. */
record ChannelTypes(
    Class<? extends ServerSocketChannel> server,
    Class<? extends SocketChannel> client,
    Class<? extends DatagramChannel> datagram) {}

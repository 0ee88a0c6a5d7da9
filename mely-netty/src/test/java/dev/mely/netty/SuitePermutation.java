package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import java.util.List;
import java.util.function.Function;

/** What Netty's socket tests run on: one Mely group for servers and clients. */
final class SuitePermutation extends SocketTestPermutation {
  private final MelyEventLoopGroup group;
  private final Function<SocketProtocolFamily, DatagramChannel> datagrams;

  /**
   * @param group serves all tests
   * @param datagrams makes a datagram channel
   */
  SuitePermutation(
      MelyEventLoopGroup group, Function<SocketProtocolFamily, DatagramChannel> datagrams) {
    this.group = group;
    this.datagrams = datagrams;
  }

  EventLoopGroup group() {
    return group;
  }

  @Override
  public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
    return List.of(
        () -> new ServerBootstrap().group(group).channel(group.serverSocketChannelType()));
  }

  @Override
  public List<BootstrapFactory<Bootstrap>> clientSocket() {
    return List.of(() -> new Bootstrap().group(group).channel(group.socketChannelType()));
  }

  @Override
  public List<BootstrapFactory<Bootstrap>> datagramSocket() {
    return List.of(() -> new Bootstrap().group(group).channel(group.datagramChannelType()));
  }

  @Override
  public List<BootstrapComboFactory<Bootstrap, Bootstrap>> datagram(SocketProtocolFamily family) {
    ChannelFactory<DatagramChannel> factory = () -> datagrams.apply(family);
    List<BootstrapFactory<Bootstrap>> both =
        List.of(() -> new Bootstrap().group(group).channelFactory(factory));
    return combo(both, both);
  }
}

package dev.mely.bench.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The measured JVM of one sample. It prints its port; for each line on standard input it prints a
 * {@link Usage}; at the end of input it ends.
 *
 * <p>Connections are accepted by a loop of their own, of Netty's group, whatever group serves them:
 * so the n-th connection goes to core n modulo cores with every group.
 */
final class ServerMain {
  private ServerMain() {}

  /**
   * Serves until standard input ends.
   *
   * @param args service, group, transport, cores, pinned
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Service service = Service.parse(args[0]);
    Transport transport = Transport.parse(args[2]);
    ServiceHandler.prepare();
    EventLoopGroup acceptor = new MultiThreadIoEventLoopGroup(1, transport.newFactory());
    LoopThreads threads = new LoopThreads();
    EventLoopGroup group =
        Group.parse(args[1])
            .start(transport, Integer.parseInt(args[3]), Boolean.parseBoolean(args[4]), threads);
    Channel server = bind(service, transport, acceptor, group);
    System.out.println(((InetSocketAddress) server.localAddress()).getPort());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (in.readLine() != null) {
      System.out.println(Usage.ofThisProcess(Group.steals(group)).withLoops(threads.cpuNanos()));
    }
    server.close().sync();
    acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(2, TimeUnit.SECONDS);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(2, TimeUnit.SECONDS);
    System.exit(0);
  }

  private static Channel bind(
      Service service, Transport transport, EventLoopGroup acceptor, EventLoopGroup group)
      throws InterruptedException {
    return new ServerBootstrap()
        .group(acceptor, group)
        .channel(transport.serverChannel())
        .option(ChannelOption.SO_BACKLOG, 1_024)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                service.attach(channel);
              }
            })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .sync()
        .channel();
  }
}

package dev.mely.netty.doctor;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A program on two event loops of Netty, of classes that Netty 4.1 has as well: its handler takes
 * eight milliseconds for each byte, in which it waits, so that CPUs do not matter, and answers it.
 * Connections are given to the loops in turn. It ends when its standard input does.
 */
@SuppressWarnings("deprecation") // so do the programs
public final class BusyServer {
  private static final long WORK_MILLIS = 8;

  private BusyServer() {}

  /** Says its port. */
  public static void main(String[] arguments) throws Exception {
    EventLoopGroup acceptor = new NioEventLoopGroup(1);
    EventLoopGroup workers = Boolean.getBoolean("mely") ? mely() : new NioEventLoopGroup(2);
    Channel server =
        new ServerBootstrap()
            .group(acceptor, workers)
            .channel(NioServerSocketChannel.class)
            .childHandler(new Busy())
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    System.out.println(((InetSocketAddress) server.localAddress()).getPort());
    while (System.in.read() >= 0) {
      continue;
    }
    acceptor.shutdownGracefully(1, 3_600, TimeUnit.SECONDS);
    workers.shutdownGracefully(1, 3_600, TimeUnit.SECONDS);
  }

  /** Netty 4.1 has no {@code IoHandlerFactory}. */
  private static EventLoopGroup mely() throws ReflectiveOperationException {
    return (EventLoopGroup)
        Class.forName("dev.mely.netty.doctor.MelyGroup").getDeclaredMethod("make").invoke(null);
  }

  @ChannelHandler.Sharable
  private static final class Busy extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
      Thread.sleep(WORK_MILLIS * ((ByteBuf) message).readableBytes());
      context.writeAndFlush(message);
    }
  }
}

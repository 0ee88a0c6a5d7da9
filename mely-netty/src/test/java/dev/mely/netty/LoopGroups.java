package dev.mely.netty;

import dev.mely.Migrating;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** The groups that a row of the contract is checked against: Netty's own is the control. */
enum LoopGroups {
  NETTY {
    @Override
    EventLoopGroup start() {
      return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }
  },
  MELY {
    @Override
    EventLoopGroup start() {
      return MelyEventLoopGroup.builder().cores(2).build();
    }
  },
  MOVING {
    @Override
    EventLoopGroup start() {
      return MelyEventLoopGroup.builder().cores(2).runtime(Migrating.by(5)).build();
    }
  };

  abstract EventLoopGroup start();

  /** One of the group's event loops. */
  static SingleThreadEventLoop loop(EventLoopGroup group) {
    return (SingleThreadEventLoop) group.next();
  }

  /** A server on the group. */
  static Channel serve(EventLoopGroup group, Supplier<ChannelHandler> handler)
      throws InterruptedException {
    return new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .childHandler(initializer(handler))
        .bind(new InetSocketAddress("127.0.0.1", 0))
        .sync()
        .channel();
  }

  /** A client on the group. */
  static ChannelFuture connect(
      EventLoopGroup group, Channel server, Supplier<ChannelHandler> handler) {
    return new Bootstrap()
        .group(group)
        .channel(NioSocketChannel.class)
        .handler(initializer(handler))
        .connect(server.localAddress());
  }

  private static ChannelInitializer<Channel> initializer(Supplier<ChannelHandler> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(handler.get());
      }
    };
  }
}

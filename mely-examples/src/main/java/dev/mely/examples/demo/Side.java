package dev.mely.examples.demo;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.StreamInitializer;
import dev.mely.netty.monitor.MelyMonitor;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;

/** One of the two that are compared: all in which their servers differ is here. */
enum Side {
  NETTY("netty", "Netty\u2019s own group") {
    @Override
    EventLoopGroup group(int cores, MelyMonitor monitor) {
      return new MultiThreadIoEventLoopGroup(
          cores, monitor.watch("Netty", NioIoHandler.newFactory()));
    }

    @Override
    ChannelHandler streams(ChannelHandler initializer) {
      return initializer;
    }
  },

  MELY("mely", "Mely") {
    @Override
    EventLoopGroup group(int cores, MelyMonitor monitor) {
      MelyEventLoopGroup group = new MelyEventLoopGroup(cores, NioIoHandler.newFactory());
      monitor.add("Mely", group);
      return group;
    }

    @Override
    ChannelHandler streams(ChannelHandler initializer) {
      return new StreamInitializer(initializer);
    }
  };

  private final String id;
  private final String title;

  Side(String id, String title) {
    this.id = id;
    this.title = title;
  }

  /** Its name for programs. */
  String id() {
    return id;
  }

  /** Its name for people. */
  String title() {
    return title;
  }

  Side other() {
    return this == NETTY ? MELY : NETTY;
  }

  /** Makes the event loops, which the monitor watches. */
  abstract EventLoopGroup group(int cores, MelyMonitor monitor);

  /** What {@code Http2MultiplexHandler} takes for an initializer of streams. */
  abstract ChannelHandler streams(ChannelHandler initializer);
}

package dev.mely.netty.agent;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultEventExecutorChooserFactory;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/**
 * A program whose groups are not for Mely: it says how many of them work, and of whose they are.
 */
@SuppressWarnings("deprecation") // so do the programs
final class LeftAlone {
  private LeftAlone() {}

  public static void main(String[] arguments) throws Exception {
    EventExecutorChooserFactory chooser = DefaultEventExecutorChooserFactory.INSTANCE::newChooser;
    SelectorProvider provider = SelectorProvider.provider();
    List<EventLoopGroup> groups =
        List.of(
            new NioEventLoopGroup(1) {},
            new MultiThreadIoEventLoopGroup(1, new ForkJoinPool(2), NioIoHandler.newFactory()),
            new MultiThreadIoEventLoopGroup(1, null, chooser, NioIoHandler.newFactory()),
            new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory()),
            new NioEventLoopGroup(
                1,
                null,
                DefaultEventExecutorChooserFactory.INSTANCE,
                provider,
                DefaultSelectStrategyFactory.INSTANCE,
                (task, executor) -> {}));
    int working = 0;
    for (EventLoopGroup group : groups) {
      boolean onMely = group.submit(OnMely::isCurrentThread).get(60, TimeUnit.SECONDS);
      working += onMely ? 0 : 1;
      group.shutdownGracefully(0, 30, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
    }
    System.out.println("Netty's own: " + working);
    System.exit(0);
  }
}

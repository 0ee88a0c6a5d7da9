package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * N1: a transport that is bound to its thread works on the fixed loops, as in Netty's own group.
 */
@Timeout(300)
class LocalTransportTest {
  @Test
  void channelsStayOnTheirThread() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(2)
            .ioHandlerFactory(LocalIoHandler.newFactory())
            .runtime(Migrating.by(5))
            .build();
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    BlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    LocalAddress address = new LocalAddress("pinned");
    try {
      new ServerBootstrap()
          .group(group)
          .channel(LocalServerChannel.class)
          .childHandler(
              new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                  channel
                      .pipeline()
                      .addLast(
                          new ChannelInboundHandlerAdapter() {
                            private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                              threads.add(Thread.currentThread());
                              if (!ctx.channel().eventLoop().inEventLoop()) {
                                faults.add("not in the event loop");
                              }
                              if (threads.size() > 1) {
                                faults.add("moved to " + Thread.currentThread());
                              }
                              ctx.writeAndFlush(message);
                            }
                          });
                }
              })
          .bind(address)
          .sync();
      for (int i = 0; i < 4; i++) {
        Channel client =
            new Bootstrap()
                .group(group)
                .channel(LocalChannel.class)
                .handler(
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object message) {
                        answers.add(message);
                      }
                    })
                .connect(address)
                .sync()
                .channel();
        for (int k = 0; k < 100; k++) {
          client.writeAndFlush(k);
          Object answer = answers.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
          assertNotNull(answer);
          assertEquals(k, answer);
        }
      }
      assertTrue(faults.isEmpty(), faults::toString);
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    assertEquals(0, group.groupState().registrations());
  }
}

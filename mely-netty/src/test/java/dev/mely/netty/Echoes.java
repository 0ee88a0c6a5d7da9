package dev.mely.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;

/** A server that echoes, and a client of it, both on one group. */
final class Echoes implements AutoCloseable {
  private final EventLoopGroup group;
  private final Channel client;
  private final BlockingQueue<String> answers = new LinkedTransferQueue<>();

  Echoes(EventLoopGroup group) throws InterruptedException {
    this.group = group;
    Channel server = LoopGroups.serve(group, Harness.Echo::new);
    client =
        LoopGroups.connect(
                group,
                server,
                () ->
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object message) {
                        ByteBuf bytes = (ByteBuf) message;
                        answers.add(bytes.toString(StandardCharsets.US_ASCII));
                        bytes.release();
                      }
                    })
            .sync()
            .channel();
  }

  /** The client's. */
  EventLoop loop() {
    return client.eventLoop();
  }

  /** Sends one letter. Null if no answer comes. */
  String ask(String letter) throws InterruptedException {
    client.writeAndFlush(Unpooled.copiedBuffer(letter, StandardCharsets.US_ASCII));
    return answers.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }
}

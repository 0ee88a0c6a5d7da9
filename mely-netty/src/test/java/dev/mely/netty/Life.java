package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Remembers how the life of each channel ends. */
class Life extends Harness.Echo {
  private final Map<Channel, Queue<String>> lives;

  Life(Map<Channel, Queue<String>> lives) {
    this.lives = lives;
  }

  final void note(ChannelHandlerContext ctx, String event) {
    lives.computeIfAbsent(ctx.channel(), c -> new ConcurrentLinkedQueue<>()).add(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    note(ctx, "inactive");
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) {
    note(ctx, "unregistered");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}

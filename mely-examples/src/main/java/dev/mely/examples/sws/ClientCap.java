package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the clients and turns away those above the limit: the paper's Accept and
 * DecClientAccepted, with an atomic counter in place of a color.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class ClientCap {
  /** So many are told why they are turned away; beyond, the connection is just closed. */
  private static final int MAX_TOLD = 256;

  private final int max;
  private final AtomicInteger clients = new AtomicInteger();
  private final AtomicInteger told = new AtomicInteger();
  private final LongAdder served = new LongAdder();
  private final LongAdder refused = new LongAdder();

  ClientCap(int max) {
    this.max = max;
  }

  /** Admits a new connection, and counts it until it closes; false: turn it away. */
  boolean admit(Channel channel) {
    if (!enter(channel, clients, max)) {
      refused.increment();
      return false;
    }
    served.increment();
    return true;
  }

  /** Ends a connection that was not admitted, with an explanation unless there are too many. */
  void turnAway(Channel channel) {
    if (enter(channel, told, MAX_TOLD)) {
      channel.pipeline().addLast(new TurnAway());
    } else {
      channel.close();
    }
  }

  /** How many clients there are now. */
  int clients() {
    return clients.get();
  }

  /** How many connections have been admitted so far. */
  long served() {
    return served.sum();
  }

  /** How many have been turned away so far. */
  long refused() {
    return refused.sum();
  }

  private static boolean enter(Channel channel, AtomicInteger count, int max) {
    if (count.incrementAndGet() > max) {
      count.decrementAndGet();
      return false;
    }
    boolean counted = false;
    try {
      channel.closeFuture().addListener(closed -> count.decrementAndGet());
      counted = true;
    } finally {
      if (!counted) {
        count.decrementAndGet();
      }
    }
    return true;
  }

  /** The only handler of a connection that is turned away: says why, reads nothing. */
  private static final class TurnAway extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ChannelFuture written =
          ctx.writeAndFlush(Unpooled.wrappedBuffer(Answer.tooManyClients(HttpClock.now()).bytes()));
      written.addListener(future -> LingeringClose.start(ctx.channel()));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}

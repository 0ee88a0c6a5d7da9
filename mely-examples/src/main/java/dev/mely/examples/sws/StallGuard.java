package dev.mely.examples.sws;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends connections on which nothing moves: clients that never finish a request (408), never read a
 * response, or have just left.
 *
 * <p>It looks twice in a timeout ({@link Stillness}). Between two looks it costs one increment a
 * request and reads no clock.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class StallGuard extends ChannelInboundHandlerAdapter {
  private final long periodMillis;
  private final RequestDecoder decoder;

  private long requests;
  private final Stillness stillness = new Stillness(3);
  private @Nullable Future<?> timer;

  StallGuard(Duration timeout, RequestDecoder decoder) {
    this.periodMillis = Math.max(1, timeout.toMillis() / 2);
    this.decoder = decoder;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    timer =
        ctx.executor()
            .scheduleWithFixedDelay(
                () -> guard(ctx), periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    cancel();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    cancel();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    requests++;
    ctx.fireChannelRead(message);
  }

  /** A look that fails is the last one of its timer: then the connection goes as well. */
  private void guard(ChannelHandlerContext ctx) {
    boolean done = false;
    try {
      look(ctx);
      done = true;
    } finally {
      if (!done) {
        ctx.close();
      }
    }
  }

  private void look(ChannelHandlerContext ctx) {
    ChannelOutboundBuffer output = ctx.channel().unsafe().outboundBuffer();
    if (output == null) {
      return; // closed
    }
    long pending = output.totalPendingWriteBytes();
    long progress = output.currentProgress();
    boolean sending = !output.isEmpty();
    boolean busy = decoder.isHeld() && !sending; // a directory is being read: our delay
    if (!stillness.isOver(busy, requests, pending, progress)) {
      return;
    }
    cancel();
    if (sending || !decoder.hasUnread()) {
      ctx.close();
      return;
    }
    ctx.fireChannelRead(Request.none(RequestRules.tooLate()));
    ctx.fireChannelReadComplete();
  }

  private void cancel() {
    Future<?> running = timer;
    if (running != null) {
      running.cancel(false);
      timer = null;
    }
  }
}

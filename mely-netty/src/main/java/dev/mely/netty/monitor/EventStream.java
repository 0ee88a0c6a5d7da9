package dev.mely.netty.monitor;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A browser that is told the figures, by server-sent events (WHATWG HTML, section 9.2). */
final class EventStream implements Listener {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ChannelHandlerContext ctx;

  /** The sampler may be there before the answer's head is. */
  private volatile boolean begun;

  private long taken = System.nanoTime();

  EventStream(ChannelHandlerContext ctx) {
    this.ctx = ctx;
  }

  /**
   * Begins the answer.
   *
   * @param head of the answer
   */
  void begin(HttpResponse head) {
    ctx.write(head).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    send("retry: 2000\n\n"); // milliseconds, if the connection is lost
    begun = true;
  }

  /** Leaves figures out while the browser does not read; does not wait for it for ever. */
  @Override
  public void tell(String json) {
    if (!begun) {
      return;
    }
    long now = System.nanoTime();
    if (ctx.channel().isWritable()) {
      taken = now;
      send("data: " + json + "\n\n");
    } else if (now - taken > PATIENCE_NANOS) {
      ended();
    }
  }

  @Override
  public void ended() {
    ChannelFuture unused = ctx.close();
  }

  private void send(String text) {
    ctx.writeAndFlush(
            new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII)))
        .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }
}

package dev.mely.examples.demo;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A page that is told messages, by server-sent events (WHATWG HTML, section 9.2). Leaves messages
 * out while the page does not read, and ends if that lasts. Called by one thread at a time.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends with its connection
final class EventStream implements Consumer<String> {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ChannelHandlerContext ctx;
  private long taken = System.nanoTime();

  /**
   * @param ctx where the head of the answer has been written
   */
  EventStream(ChannelHandlerContext ctx) {
    this.ctx = ctx;
  }

  @Override
  public void accept(String message) {
    long now = System.nanoTime();
    if (ctx.channel().isWritable()) {
      taken = now;
      ctx.writeAndFlush(
          new DefaultHttpContent(
              Unpooled.copiedBuffer("data: " + message + "\n\n", StandardCharsets.UTF_8)));
    } else if (now - taken > PATIENCE_NANOS) {
      ctx.close();
    }
  }
}

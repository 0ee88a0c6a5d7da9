package dev.mely.examples.sws;

import dev.mely.examples.service.ServiceConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection whose client may still be sending: the paper's Close.
 *
 * <p>A plain close with unread input makes the kernel reset the connection, and a reset may destroy
 * the response before the client has read it. So the output is shut first, and the input is read
 * and dropped until the client ends it, has sent too much, or takes too long.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class LingeringClose extends ChannelInboundHandlerAdapter {
  private final ByteBuffer farewell;
  private long dropped;

  /** For a connection that gets one message and is closed: its only handler. */
  LingeringClose(ByteBuffer farewell) {
    this.farewell = farewell;
  }

  /** Starts to close a channel; closes it at once if that fails. Loop only. */
  static void start(Channel channel) {
    boolean begun = false;
    try {
      if (channel instanceof DuplexChannel duplex
          && channel.isActive()
          && !duplex.isInputShutdown()) {
        channel.pipeline().addFirst(new LingeringClose(ByteBuffer.allocate(0)));
        shut(duplex);
        begun = true;
      }
    } finally {
      if (!begun) {
        channel.close();
      }
    }
  }

  private static void shut(DuplexChannel channel) {
    Future<?> deadline =
        channel
            .eventLoop()
            .schedule(
                () -> channel.close(), ServiceConfig.LINGER.toMillis(), TimeUnit.MILLISECONDS);
    channel.closeFuture().addListener(closed -> deadline.cancel(false));
    channel
        .shutdownOutput()
        .addListener(
            shut -> {
              if (!shut.isSuccess()) {
                channel.close();
              }
            });
    channel.config().setAutoRead(true);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.writeAndFlush(Unpooled.wrappedBuffer(farewell))
        .addListener(written -> start(ctx.channel()));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    dropped += bytes.readableBytes();
    bytes.release();
    if (dropped > ServiceConfig.LINGER_BYTES) {
      ctx.close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      ctx.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}

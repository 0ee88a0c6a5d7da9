package dev.mely.examples.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A connection on Netty, whose channel has one handler. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write closes the channel anyway
final class NettyConnection extends ServedConnection {
  private final SocketChannel channel;
  private long unsent;
  private boolean waited;

  NettyConnection(SocketChannel channel, Clients clients) {
    super(clients);
    this.channel = channel;
  }

  void open(Protocol protocol) {
    open(protocol, () -> channel.pipeline().addLast(new Events()));
  }

  private final class Events extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
      take(bytes.nioBuffer());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof ChannelInputShutdownEvent) {
        inputEnded();
      }
    }

    /** Called for a channel that was never active, too. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      abort();
      left();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (cause instanceof IOException) {
        LOG.debug("a connection broke", cause);
      } else {
        LOG.error("closing a connection after an unexpected failure", cause);
      }
      abort();
    }
  }

  @Override
  void transmit(ByteBuffer bytes) {
    int length = bytes.remaining();
    unsent += length;
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(bytes))
        .addListener(
            written -> {
              unsent -= length;
              if (!written.isSuccess()) {
                abort();
              } else if (unsent == 0 && waited) {
                waited = false;
                guarded(this::outputDrained);
              }
            });
    waited |= unsent > 0;
  }

  @Override
  public long unsent() {
    return unsent;
  }

  @Override
  public void pause() {
    channel.config().setAutoRead(false);
  }

  @Override
  public void resume() {
    channel.config().setAutoRead(true);
  }

  @Override
  void endOutput() {
    Future<?> deadline =
        channel
            .eventLoop()
            .schedule(this::abort, ServiceConfig.LINGER.toMillis(), TimeUnit.MILLISECONDS);
    channel.closeFuture().addListener(closed -> deadline.cancel(false));
    channel
        .shutdownOutput()
        .addListener(
            shut -> {
              if (!shut.isSuccess()) {
                abort();
              }
            });
  }

  @Override
  protected void release() {
    channel.close();
  }

  @Override
  public void execute(Runnable task) {
    channel.eventLoop().execute(() -> guarded(task));
  }
}

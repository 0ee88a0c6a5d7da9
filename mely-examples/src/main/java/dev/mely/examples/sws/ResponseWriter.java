package dev.mely.examples.sws;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import java.nio.ByteBuffer;

/** The responses of one connection on Netty. Loop only. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class ResponseWriter extends Responses {
  private final ChannelHandlerContext ctx;
  private final RequestDecoder decoder;
  private boolean ended;

  ResponseWriter(ChannelHandlerContext ctx, RequestDecoder decoder) {
    this.ctx = ctx;
    this.decoder = decoder;
  }

  @Override
  void pieces(byte[][] pieces, int length) {
    ByteBuf copy = ctx.alloc().ioBuffer(length);
    for (byte[] piece : pieces) {
      copy.writeBytes(piece);
    }
    write(copy);
  }

  @Override
  void made(ByteBuffer bytes) {
    write(Unpooled.wrappedBuffer(bytes));
  }

  @Override
  void shared(ByteBuffer bytes) {
    write(Unpooled.wrappedBuffer(bytes));
  }

  /** Writes with the void promise: a failed write reaches exceptionCaught. */
  private void write(ByteBuf bytes) {
    ctx.write(bytes, ctx.voidPromise());
  }

  /** Until the file has been sent, no further request is decoded. */
  @Override
  void file(Found.File found, long first, long length) {
    decoder.hold();
    ctx.write(new DefaultFileRegion(found.open().channel(), first, length))
        .addListener(
            sent -> {
              if (sent.isSuccess()) {
                decoder.release();
              } else {
                ctx.close();
              }
            });
  }

  /** Closes the connection once all that was written is sent. */
  void end(boolean mayStillSend) {
    if (ended) {
      return;
    }
    ended = true;
    decoder.stop();
    Channel channel = ctx.channel();
    ctx.write(Unpooled.EMPTY_BUFFER)
        .addListener(
            sent -> {
              if (sent.isSuccess() && (mayStillSend || decoder.hasUnread())) {
                LingeringClose.start(channel);
              } else {
                channel.close();
              }
            });
  }
}

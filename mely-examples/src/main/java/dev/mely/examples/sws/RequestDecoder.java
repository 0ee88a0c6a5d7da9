package dev.mely.examples.sws;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import org.jspecify.annotations.Nullable;

/**
 * Takes the input (the paper's ReadRequest) and passes on the requests that {@link RequestReader}
 * parses, no faster than the responses are sent.
 *
 * <p>A client may send many requests before it reads one response. While a response is pending (its
 * file is being sent) or the channel is not writable (the client is slow), no request is passed on;
 * the input waits unparsed, and above a limit the socket is no longer read. So no client can make
 * its connection take more than a bounded amount of memory and one open file.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class RequestDecoder extends ChannelInboundHandlerAdapter {
  /** Above this many waiting bytes, the socket is not read. */
  private static final int MAX_WAITING = 64 * 1024;

  private final RequestReader reader = new RequestReader();

  @SuppressWarnings("NullAway.Init") // set by the first call, handlerAdded
  private ChannelHandlerContext ctx;

  private boolean held;
  private boolean stopped;
  private boolean resuming;

  /** Whether the input contains no complete request. */
  private boolean drained = true;

  /** The event of the input's end, which must not overtake earlier requests. */
  private @Nullable Object end;

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
  }

  /** Passes on no request until {@link #release}. Loop only, as all methods here. */
  void hold() {
    held = true;
  }

  /** Ends {@link #hold}, and goes on with the waiting input. */
  void release() {
    held = false;
    resume();
  }

  /** Passes on no more requests, permanently. */
  void stop() {
    stopped = true;
  }

  /** Whether there is unread input: an incomplete request, or further ones. */
  boolean hasUnread() {
    return reader.hasUnread();
  }

  private boolean isOpen() {
    return !held && !stopped && ctx.channel().isWritable();
  }

  @Override
  public void channelRead(ChannelHandlerContext unused, Object input) {
    ByteBuf bytes = (ByteBuf) input;
    try {
      reader.feed(bytes.nioBuffer());
    } finally {
      bytes.release();
    }
    decode();
    if (stopped || (!drained && reader.capacity() > MAX_WAITING)) {
      ctx.channel().config().setAutoRead(false);
    }
  }

  private void decode() {
    drained = false;
    while (!drained && isOpen()) {
      Request next = reader.next();
      if (reader.takeContinue()) {
        ctx.writeAndFlush(Unpooled.wrappedBuffer(Answer.goOn()));
      }
      if (next == null) {
        drained = true;
      } else {
        ctx.fireChannelRead(next);
      }
    }
  }

  private void passEnd() {
    Object event = end;
    if (event != null && drained) {
      end = null;
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext unused, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      end = event;
      passEnd();
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext unused) {
    resume();
    ctx.fireChannelWritabilityChanged();
  }

  /** Goes on in a separate task: the caller may be in the middle of a write. */
  private void resume() {
    if (!drained && isOpen() && !resuming) {
      resuming = true;
      boolean begun = false;
      try {
        ctx.executor().execute(this::decodeWaiting);
        begun = true;
      } finally {
        if (!begun) {
          ctx.close(); // its requests would never be read
        }
      }
    }
  }

  private void decodeWaiting() {
    resuming = false;
    if (ctx.isRemoved() || !isOpen()) {
      return;
    }
    try {
      decode();
      ctx.fireChannelReadComplete();
      passEnd();
    } catch (Throwable e) {
      ctx.fireExceptionCaught(e);
    }
    if (drained || reader.capacity() <= MAX_WAITING) {
      ctx.channel().config().setAutoRead(true);
    }
  }
}

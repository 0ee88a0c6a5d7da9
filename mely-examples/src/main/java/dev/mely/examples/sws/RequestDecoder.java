package dev.mely.examples.sws;

import dev.mely.examples.http.HeadReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into requests, no faster than the responses leave: the paper's ReadRequest.
 *
 * <p>A client may send many requests before it reads one response. While a response is held (its
 * file is being sent) or the channel is not writable (the client is slow), nothing more is decoded;
 * the bytes stay as they are, and past a limit the socket is no longer read. So a connection takes
 * a bounded amount of memory and one open file, whatever its client does.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close ends the channel anyway
final class RequestDecoder extends HttpRequestDecoder {
  /** The size of the pieces in which a body comes, to be dropped. */
  private static final int MAX_CHUNK = 8 * 1024;

  /** Above so many undecoded bytes the socket is left alone. */
  private static final int MAX_WAITING = 64 * 1024;

  private static final DecoderResult MALFORMED =
      DecoderResult.failure(new DecoderException("not as RFC 9112 has it"));

  private final FramingCheck framing = new FramingCheck();

  /** Whether a byte was wrong: then nothing that follows can be relied upon. */
  private boolean malformed;

  private boolean held;
  private boolean stopped;
  private boolean resuming;

  /** Whether bytes of a request have come that is not complete. */
  private boolean midRequest;

  /** Whether the last pass has left bytes alone that it might have decoded. */
  private boolean heldBack;

  /** The client's end of input, which must not overtake the requests that came before it. */
  private @Nullable Object heldEvent;

  RequestDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(HeadReader.MAX_LINE)
            .setMaxHeaderSize(HeadReader.MAX_HEADER)
            .setMaxChunkSize(MAX_CHUNK)
            // Else system properties decide.
            .setStrictLineParsing(true)
            .setUseRfc9112TransferEncoding(true));
  }

  /** Decodes nothing more until {@link #release}. Loop only, as all methods here. */
  void hold() {
    held = true;
  }

  /** Ends {@link #hold}, and goes on with what has come meanwhile. */
  void release(ChannelHandlerContext ctx) {
    held = false;
    resume(ctx);
  }

  /** Decodes nothing more, ever. */
  void stop() {
    stopped = true;
  }

  boolean isHeld() {
    return held;
  }

  /** Whether the client has begun a request and not ended it, or sent others behind it. */
  boolean hasUnread() {
    return midRequest || internalBuffer().isReadable();
  }

  private boolean isOpen(ChannelHandlerContext ctx) {
    return !held && !stopped && ctx.channel().isWritable();
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (isOpen(ctx)) {
      int before = in.readerIndex();
      super.decode(ctx, in, out);
      if (in.readerIndex() != before) {
        midRequest = out.isEmpty() || !(out.get(out.size() - 1) instanceof LastHttpContent);
        check(in, before, out);
      }
    } else {
      heldBack = true;
    }
  }

  /** Looks again at what was consumed, and spoils what came of it if anything is wrong. */
  private void check(ByteBuf in, int from, List<Object> out) {
    if (!framing.accepts(in, from, in.readerIndex())) {
      malformed = true;
    }
    for (int i = 0; i < out.size(); i++) {
      Object decoded = out.get(i);
      if (malformed && decoded == LastHttpContent.EMPTY_LAST_CONTENT) {
        decoded = new DefaultLastHttpContent(); // one that can be spoilt
        out.set(i, decoded);
      }
      if (malformed && decoded instanceof HttpObject part) {
        part.setDecoderResult(MALFORMED);
      }
      if (framing.isLineWrong() && decoded instanceof HttpRequest request) {
        request.setMethod(HttpMethod.GET).setProtocolVersion(HttpVersion.HTTP_1_1);
      }
      if (decoded instanceof HttpMessage message) {
        framing.body(HttpUtil.isTransferEncodingChunked(message));
      }
      if (decoded instanceof LastHttpContent) {
        framing.begin();
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object input) throws Exception {
    heldBack = false;
    super.channelRead(ctx, input);
    if (!isOpen(ctx) && internalBuffer().readableBytes() > MAX_WAITING) {
      ctx.channel().config().setAutoRead(false);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    if (isOpen(ctx)) {
      super.channelReadComplete(ctx);
    } else {
      // The inherited method would ask for more input, since it has decoded nothing.
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof ChannelInputShutdownEvent && (!isOpen(ctx) || resuming || heldBack)) {
      heldEvent = event;
    } else {
      super.userEventTriggered(ctx, event);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    resume(ctx);
    super.channelWritabilityChanged(ctx);
  }

  /** Goes on in a task of its own: the caller may be in the middle of a write. */
  private void resume(ChannelHandlerContext ctx) {
    boolean waiting =
        internalBuffer().isReadable() || heldEvent != null || !ctx.channel().config().isAutoRead();
    if (waiting && isOpen(ctx) && !resuming) {
      boolean begun = false;
      try {
        ctx.executor().execute(() -> decodeWaiting(ctx));
        begun = true;
      } finally {
        if (!begun) {
          ctx.close(); // nobody would read its requests any more
        }
      }
      resuming = true;
    }
  }

  private void decodeWaiting(ChannelHandlerContext ctx) {
    resuming = false;
    if (ctx.isRemoved() || !isOpen(ctx)) {
      return;
    }
    try {
      if (internalBuffer().isReadable()) {
        heldBack = false;
        super.channelRead(ctx, Unpooled.EMPTY_BUFFER);
        channelReadComplete(ctx);
      }
      Object event = heldEvent;
      // A flush may have made the channel writable again: requests that were held back go first.
      if (event != null && isOpen(ctx) && !resuming && !heldBack) {
        heldEvent = null;
        super.userEventTriggered(ctx, event);
      }
    } catch (Throwable e) {
      ctx.fireExceptionCaught(e);
    }
    if (internalBuffer().readableBytes() <= MAX_WAITING) {
      ctx.channel().config().setAutoRead(true);
    }
  }
}

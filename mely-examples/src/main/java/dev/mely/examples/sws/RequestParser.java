package dev.mely.examples.sws;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.jspecify.annotations.Nullable;

/**
 * Puts the pieces of a request together, and checks what HTTP demands of it: the paper's
 * ParseRequest. Passes on {@link Request}s only, each when its last byte has come; a body is read
 * and dropped.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class RequestParser extends SimpleChannelInboundHandler<HttpObject> {
  private @Nullable Request pending;
  private long bodyBytes;

  /** Set after a request that leaves nothing sensible to read. */
  private boolean done;

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    if (done) {
      return;
    }
    if (message instanceof HttpRequest request) {
      begin(ctx, request);
    }
    // An invalid request is content as well, and is done with by now.
    if (!done && message instanceof HttpContent content) {
      body(ctx, content);
    }
  }

  private void begin(ChannelHandlerContext ctx, HttpRequest request) {
    bodyBytes = 0;
    Refusal refusal = check(request);
    if (refusal != null && refusal.isClosing()) {
      refuse(ctx, request, refusal);
      return;
    }
    pending = request(request, refusal);
    if (RequestRules.expectsContinue(
        request.protocolVersion().minorVersion(),
        new NettyFields(request.headers()),
        HttpUtil.getContentLength(request, 0L))) {
      if (refusal != null) {
        // The client holds the body back until it hears from us; what it sends next is unclear.
        refuse(ctx, request, Refusal.closing(refusal.status(), refusal.reason()));
      } else {
        ctx.writeAndFlush(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
      }
    }
  }

  private void body(ChannelHandlerContext ctx, HttpContent content) {
    Request request = pending;
    if (request == null) {
      return;
    }
    DecoderResult result = content.decoderResult();
    bodyBytes += content.content().readableBytes();
    if (result.isFailure()) {
      boolean trailer = result.cause() instanceof TooLongHttpHeaderException;
      end(ctx, request, trailer ? malformed(result.cause()) : RequestRules.malformedBody());
    } else if (bodyBytes > RequestRules.MAX_BODY) {
      end(ctx, request, RequestRules.tooLarge());
    } else if (content instanceof LastHttpContent) {
      pending = null;
      ctx.fireChannelRead(request);
    }
  }

  private void refuse(ChannelHandlerContext ctx, HttpRequest request, Refusal refusal) {
    end(ctx, request(request, refusal), refusal);
  }

  /** Passes on a request after which the connection ends. */
  private void end(ChannelHandlerContext ctx, Request request, Refusal refusal) {
    done = true;
    pending = null;
    ctx.fireChannelRead(
        new Request(
            request.head(), request.target(), request.headers(), request.http10(), false, refusal));
  }

  private static Request request(HttpRequest request, @Nullable Refusal refusal) {
    int minor = request.protocolVersion().minorVersion();
    Fields fields = new NettyFields(request.headers());
    return new Request(
        request.method().equals(HttpMethod.HEAD),
        request.uri(),
        fields,
        minor == 0,
        RequestRules.isKeepAlive(minor, fields),
        refusal);
  }

  private static @Nullable Refusal check(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    if (version.majorVersion() != 1) {
      return RequestRules.versionNotSupported(); // whatever else is wrong
    }
    if (request.decoderResult().isFailure()) {
      return malformed(request.decoderResult().cause());
    }
    return RequestRules.check(
        request.method().name(),
        version.minorVersion(),
        new NettyFields(request.headers()),
        HttpUtil.getContentLength(request, 0L));
  }

  private static Refusal malformed(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return RequestRules.lineTooLong();
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return RequestRules.headerTooLong();
    }
    return RequestRules.malformed();
  }
}

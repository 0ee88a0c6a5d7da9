package dev.mely.examples.sws;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
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
  /** The longest body that is read for the sake of the connection; beyond it, 413. */
  static final int MAX_BODY = 64 * 1024;

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
    if (HttpUtil.is100ContinueExpected(request)) {
      if (refusal != null) {
        // The client holds the body back until it hears from us; what it sends next is unclear.
        refuse(ctx, request, refusal);
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
      end(ctx, request, trailer ? malformed(result.cause()) : malformed("The body is malformed."));
    } else if (bodyBytes > MAX_BODY) {
      end(ctx, request, tooLarge());
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
    return new Request(
        request.method().equals(HttpMethod.HEAD),
        request.uri(),
        request.headers(),
        request.protocolVersion().minorVersion() == 0,
        HttpUtil.isKeepAlive(request),
        refusal);
  }

  private static @Nullable Refusal check(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return malformed(request.decoderResult().cause());
    }
    HttpVersion version = request.protocolVersion();
    if (!version.protocolName().equals("HTTP") || version.majorVersion() != 1) {
      return Refusal.closing(
          HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, "Only HTTP/1.0 and HTTP/1.1 are spoken.");
    }
    HttpHeaders headers = request.headers();
    int hosts = headers.getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && version.minorVersion() > 0)) {
      return malformed("A request must have one Host header.");
    }
    if (headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
        && !HttpUtil.isTransferEncodingChunked(request)) {
      return malformed("The end of the body cannot be found.");
    }
    if (HttpUtil.getContentLength(request, 0L) > MAX_BODY) {
      return tooLarge();
    }
    String expect = headers.get(HttpHeaderNames.EXPECT);
    if (expect != null && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expect)) {
      return Refusal.closing(
          HttpResponseStatus.EXPECTATION_FAILED, "Nothing but '100-continue' can be expected.");
    }
    HttpMethod method = request.method();
    if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
      return Refusal.of(
          HttpResponseStatus.METHOD_NOT_ALLOWED, "Files can be read with GET and HEAD only.");
    }
    return null;
  }

  private static Refusal malformed(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return Refusal.closing(
          HttpResponseStatus.REQUEST_URI_TOO_LONG,
          "A request line may have " + RequestDecoder.MAX_LINE + " bytes.");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return Refusal.closing(
          HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
          "A header may have " + RequestDecoder.MAX_HEADER + " bytes.");
    }
    return malformed("This is not an HTTP request.");
  }

  private static Refusal malformed(String reason) {
    return Refusal.closing(HttpResponseStatus.BAD_REQUEST, reason);
  }

  private static Refusal tooLarge() {
    return Refusal.closing(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        "A body, which is not looked at, may have " + MAX_BODY + " bytes.");
  }
}

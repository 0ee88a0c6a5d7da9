package dev.mely.examples.sws;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.RequestLine;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.ArrayList;
import java.util.List;
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

  private void begin(ChannelHandlerContext ctx, HttpRequest message) {
    bodyBytes = 0;
    HttpVersion version = message.protocolVersion();
    RequestLine line =
        new RequestLine(
            message.method().name(), message.uri(), version.majorVersion(), version.minorVersion());
    List<Header.Line> fields = new ArrayList<>();
    message
        .headers()
        .forEach(field -> fields.add(new Header.Line(field.getKey(), field.getValue())));
    Header header = new Header(fields);
    Request request = RequestRules.check(line, header);
    DecoderResult result = message.decoderResult();
    if (line.major() == 1 && result.isFailure()) {
      request = request.asLast(malformed(result.cause()));
    }
    if (request.isClosing()) {
      end(ctx, request);
      return;
    }
    pending = request;
    if (RequestRules.expectsContinue(line, header)) {
      ctx.writeAndFlush(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
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
      end(
          ctx,
          request.asLast(trailer ? RequestRules.headerTooLong() : RequestRules.malformedBody()));
    } else if (bodyBytes > RequestRules.MAX_BODY) {
      end(ctx, request.asLast(RequestRules.tooLarge()));
    } else if (content instanceof LastHttpContent) {
      pending = null;
      ctx.fireChannelRead(request);
    }
  }

  /** Passes on a request after which the connection ends. */
  private void end(ChannelHandlerContext ctx, Request last) {
    done = true;
    pending = null;
    ctx.fireChannelRead(last);
  }

  private static Refusal malformed(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return RequestRules.lineTooLong();
    }
    return cause instanceof TooLongHttpHeaderException
        ? RequestRules.headerTooLong()
        : RequestRules.malformed();
  }
}

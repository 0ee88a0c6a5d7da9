package dev.mely.netty.monitor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page at a path of a connection, behind its HTTP codec, and passes all other requests
 * on. Reads alone: there is no request that changes anything.
 *
 * <pre>
 *   PASSING --- a request for the path, answered ---&gt; ANSWERED --- its end ---&gt; PASSING
 *      |
 *      +------- a request for events ---------------&gt; STREAMING, to the connection's end
 * </pre>
 */
final class MonitorHandler extends ChannelInboundHandlerAdapter {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private enum State {
    /** The next request is of the page, or of the server's own handlers. */
    PASSING,

    /** What follows of the request is dropped. */
    ANSWERED,

    /** The connection belongs to the page. */
    STREAMING
  }

  private final Sampler sampler;
  private final Access access;

  /** Without a slash at its end. */
  private final String path;

  /** Whether the connection has other requests, too. */
  private final boolean shared;

  private State state = State.PASSING;
  private @Nullable Consumer<String> listener;

  /**
   * @param path without a slash at its end
   * @param shared whether other requests are passed on; else they are answered with 404, and each
   *     answer ends the connection
   */
  MonitorHandler(Sampler sampler, Access access, String path, boolean shared) {
    this.sampler = sampler;
    this.access = access;
    this.path = path;
    this.shared = shared;
  }

  /** Whether it is a stream, which has no end of its own. */
  boolean isStreaming() {
    return state == State.STREAMING;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request && state == State.PASSING) {
      @Nullable String file = file(request.uri());
      if (file != null) {
        state = State.ANSWERED;
        try {
          answer(ctx, request, file);
        } finally {
          afterPart(message);
        }
        return;
      }
    }
    if (state == State.PASSING) {
      ctx.fireChannelRead(message);
    } else {
      afterPart(message);
    }
  }

  /** Drops a part of a request that was answered. */
  private void afterPart(Object part) {
    if (part instanceof LastHttpContent && state == State.ANSWERED) {
      state = State.PASSING;
    }
    ReferenceCountUtil.release(part);
  }

  /** The name behind the path; empty: the page itself; null: not of the page. */
  private @Nullable String file(String uri) {
    int end = uri.indexOf('?');
    String asked = end < 0 ? uri : uri.substring(0, end);
    if (asked.equals(path) || asked.equals(path + "/")) {
      return "";
    }
    if (asked.startsWith(path + "/")) {
      return asked.substring(path.length() + 1);
    }
    return shared ? null : "?";
  }

  private void answer(ChannelHandlerContext ctx, HttpRequest request, String file) {
    byte @Nullable [] known = PageFiles.file(file);
    if (!request.decoderResult().isSuccess()) {
      refuse(ctx, request, HttpResponseStatus.BAD_REQUEST, "not understood");
    } else if (!HttpMethod.GET.equals(request.method()) && !isHead(request)) {
      refuse(ctx, request, HttpResponseStatus.METHOD_NOT_ALLOWED, "GET and HEAD alone");
    } else if (known != null) { // the same for everybody, so that scripts need no token
      send(
          ctx, request, HttpResponseStatus.OK, PageFiles.type(file), Unpooled.wrappedBuffer(known));
    } else if (!access.allows(request, ctx.channel().remoteAddress())) {
      refuse(ctx, request, HttpResponseStatus.FORBIDDEN, "the monitor is not for you");
    } else if (file.isEmpty()) {
      byte[] page = PageFiles.page(base(request.uri()));
      send(
          ctx,
          request,
          HttpResponseStatus.OK,
          "text/html; charset=utf-8",
          Unpooled.wrappedBuffer(page));
    } else if (file.equals("events") && !isHead(request)) {
      stream(ctx, request);
    } else if (file.equals("state.json") && !isHead(request)) {
      sendState(ctx, request);
    } else {
      refuse(ctx, request, HttpResponseStatus.NOT_FOUND, "no such page");
    }
  }

  /** Relative, so that the page works behind a proxy that has another path for it. */
  private String base(String uri) {
    String asked = uri.split("\\?", 2)[0];
    return asked.endsWith("/") ? "" : path.substring(path.lastIndexOf('/') + 1) + "/";
  }

  private static boolean isHead(HttpRequest request) {
    return HttpMethod.HEAD.equals(request.method());
  }

  // ---- Events

  private void stream(ChannelHandlerContext ctx, HttpRequest request) {
    if (!request.protocolVersion().isKeepAliveDefault()) {
      refuse(ctx, request, HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, "HTTP/1.1 is needed");
      return;
    }
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    addCommon(head.headers(), "text/event-stream");
    // A compressor in the pipeline would keep events back; so would a proxy that buffers.
    head.headers().set(HttpHeaderNames.CONTENT_ENCODING, "identity");
    head.headers().set("x-accel-buffering", "no");
    HttpUtil.setTransferEncodingChunked(head, true);
    EventStream events = new EventStream(ctx);
    if (begin(ctx, request, events)) {
      events.begin(head);
    }
  }

  /**
   * From now on the connection is the listener's, which ends with it.
   *
   * @return false: there are too many, and this one was told so
   */
  private boolean begin(ChannelHandlerContext ctx, HttpRequest request, Consumer<String> events) {
    if (!sampler.add(events)) {
      refuse(ctx, request, HttpResponseStatus.SERVICE_UNAVAILABLE, "too many pages are open");
      return false;
    }
    state = State.STREAMING;
    listener = events;
    if (!ctx.channel().isActive()) {
      stop(); // it was closed meanwhile, and nobody says so again
    }
    return true;
  }

  /** The figures of the next second. */
  private void sendState(ChannelHandlerContext ctx, HttpRequest request) {
    Consumer<String> once =
        new Consumer<>() {
          @Override
          public void accept(String json) {
            sampler.remove(this);
            ByteBuf text = Unpooled.copiedBuffer(json, StandardCharsets.US_ASCII);
            respond(ctx, true, HttpResponseStatus.OK, "application/json", text);
          }
        };
    begin(ctx, request, once);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    stop();
    super.channelInactive(ctx);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    stop();
  }

  private void stop() {
    if (listener != null) {
      sampler.remove(listener);
      listener = null;
    }
  }

  // ---- Answers

  private void refuse(
      ChannelHandlerContext ctx, HttpRequest request, HttpResponseStatus status, String why) {
    ByteBuf text = Unpooled.copiedBuffer(why + "\n", StandardCharsets.US_ASCII);
    send(ctx, request, status, "text/plain; charset=utf-8", text);
  }

  /** To HEAD, too: the codec leaves the content out. */
  private void send(
      ChannelHandlerContext ctx,
      HttpRequest request,
      HttpResponseStatus status,
      String type,
      ByteBuf content) {
    respond(ctx, isLast(request), status, type, content);
  }

  private boolean isLast(HttpRequest request) {
    return !shared || !HttpUtil.isKeepAlive(request) || !request.decoderResult().isSuccess();
  }

  private static void respond(
      ChannelHandlerContext ctx,
      boolean close,
      HttpResponseStatus status,
      String type,
      ByteBuf content) {
    FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content);
    HttpHeaders headers = response.headers();
    addCommon(headers, type);
    headers.set(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
    headers.set(HttpHeaderNames.CONNECTION, close ? "close" : "keep-alive");
    if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      headers.set(HttpHeaderNames.ALLOW, "GET, HEAD");
    }
    ChannelFuture sent = ctx.writeAndFlush(response);
    if (close) {
      sent.addListener(ChannelFutureListener.CLOSE);
    }
  }

  private static void addCommon(HttpHeaders headers, String type) {
    headers.set(HttpHeaderNames.CONTENT_TYPE, type);
    headers.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    headers.set("content-security-policy", POLICY);
    headers.set("x-content-type-options", "nosniff");
    headers.set("referrer-policy", "no-referrer"); // the address may hold the token
  }
}

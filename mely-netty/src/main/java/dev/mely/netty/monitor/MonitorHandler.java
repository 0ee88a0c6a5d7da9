package dev.mely.netty.monitor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page at a path of a connection, behind its HTTP codec, and passes all other requests
 * on. Reads alone: there is no request that changes anything.
 *
 * <pre>
 *   PASSING --- a request for the path, answered ---&gt; ANSWERED --- its end ---&gt; PASSING
 *      |                                                 |
 *      |                                                 +--- an own port: to the connection's end
 *      +------- a request for figures --------------&gt; TELLING, to the connection's end
 * </pre>
 */
final class MonitorHandler extends ChannelDuplexHandler {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String EVENTS = "text/event-stream";
  private static final String JSON = "application/json";

  private enum State {
    /** The next request is of the page, or of the server's own handlers. */
    PASSING,

    /** What follows of the request is dropped. */
    ANSWERED,

    /** The connection belongs to the page: another request ends it. */
    TELLING
  }

  private final Sampler sampler;
  private final Access access;

  /** Without a slash at its end. */
  private final String path;

  /** Whether the connection has other requests, too. */
  private final boolean shared;

  private State state = State.PASSING;

  /** Requests that were passed on and have no answer yet. */
  private int unanswered;

  private @Nullable Listener listener;

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

  /** Whether the answer has no end of its own. */
  boolean isStreaming() {
    return listener instanceof EventStream;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request) {
      if (state == State.PASSING) {
        @Nullable String file = file(request.uri());
        if (file == null) {
          unanswered++;
        } else {
          state = State.ANSWERED;
          answer(ctx, request, file);
        }
      } else if (state == State.TELLING) {
        ChannelFuture unused = ctx.close();
      }
    }
    if (state == State.PASSING) {
      ctx.fireChannelRead(message);
    } else {
      if (message instanceof LastHttpContent && state == State.ANSWERED && shared) {
        state = State.PASSING;
      }
      ReferenceCountUtil.release(message);
    }
  }

  /** The answers of the server's own handlers go by. */
  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    boolean interim =
        message instanceof HttpResponse response
            && response.status().codeClass().equals(HttpStatusClass.INFORMATIONAL);
    if (message instanceof LastHttpContent && !interim) {
      unanswered--;
    }
    ChannelFuture unused = ctx.write(message, promise); // the promise tells
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
    if (unanswered > 0 || !ctx.channel().isWritable()) {
      // It does not wait for an answer before it asks, or does not read what it gets.
      ChannelFuture unused = ctx.close();
    } else if (!request.decoderResult().isSuccess()) {
      refuse(ctx, request, HttpResponseStatus.BAD_REQUEST, "not understood");
    } else if (!HttpMethod.GET.equals(request.method()) && !isHead(request)) {
      refuse(ctx, request, HttpResponseStatus.METHOD_NOT_ALLOWED, "GET and HEAD alone");
    } else if (known != null) { // the same for everybody, so that scripts need no token
      send(ctx, request, PageFiles.type(file), Unpooled.wrappedBuffer(known));
    } else if (!access.allows(request, ctx.channel().remoteAddress())) {
      refuse(ctx, request, HttpResponseStatus.FORBIDDEN, "the monitor is not for you");
    } else if (file.isEmpty()) {
      byte[] page = PageFiles.page(base(request.uri()));
      send(ctx, request, "text/html; charset=utf-8", Unpooled.wrappedBuffer(page));
    } else if (file.equals("events")) {
      stream(ctx, request);
    } else if (file.equals("state.json")) {
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

  // ---- Figures

  private void stream(ChannelHandlerContext ctx, HttpRequest request) {
    if (isHead(request)) {
      send(ctx, request, EVENTS, Unpooled.EMPTY_BUFFER);
    } else if (!request.protocolVersion().isKeepAliveDefault()) {
      refuse(ctx, request, HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, "HTTP/1.1 is needed");
    } else {
      HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      addCommon(head.headers(), EVENTS);
      // A compressor in the pipeline would keep events back; so would a proxy that buffers.
      head.headers().set(HttpHeaderNames.CONTENT_ENCODING, "identity");
      head.headers().set("x-accel-buffering", "no");
      HttpUtil.setTransferEncodingChunked(head, true);
      EventStream events = new EventStream(ctx);
      if (begin(ctx, request, events)) {
        events.begin(head);
      }
    }
  }

  /** The figures of the next second. */
  private void sendState(ChannelHandlerContext ctx, HttpRequest request) {
    if (isHead(request)) {
      send(ctx, request, JSON, Unpooled.EMPTY_BUFFER);
      return;
    }
    begin(
        ctx,
        request,
        new Listener() {
          @Override
          public void tell(String json) {
            sampler.remove(this);
            ByteBuf text = Unpooled.copiedBuffer(json, StandardCharsets.US_ASCII);
            respond(ctx, true, HttpResponseStatus.OK, JSON, text);
          }

          @Override
          public void ended() {
            ChannelFuture unused = ctx.close();
          }
        });
  }

  /**
   * From now on the connection is the listener's, which ends with it.
   *
   * @return false: there are too many, and this one was told so
   */
  private boolean begin(ChannelHandlerContext ctx, HttpRequest request, Listener asking) {
    if (!sampler.add(asking)) {
      refuse(ctx, request, HttpResponseStatus.SERVICE_UNAVAILABLE, "too many pages are open");
      return false;
    }
    state = State.TELLING;
    listener = asking;
    if (!ctx.channel().isActive()) {
      stop(); // it was closed meanwhile, and nobody says so again
    }
    return true;
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

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (shared) {
      ctx.fireExceptionCaught(cause);
    } else {
      ChannelFuture unused = ctx.close(); // somebody who resets connections is nothing to log
    }
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
    respond(ctx, isLast(request), status, "text/plain; charset=utf-8", text);
  }

  /** To HEAD, too: the codec leaves the content out. */
  private void send(ChannelHandlerContext ctx, HttpRequest request, String type, ByteBuf content) {
    respond(ctx, isLast(request), HttpResponseStatus.OK, type, content);
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

package dev.mely.examples.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Answers the one request of a connection: the page, its events, and what it sets. Other sites'
 * pages are refused, by what browsers say of them, whatever name they have for this machine.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends with its connection
final class WebHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Pattern OWN_NAME =
      Pattern.compile(
          "(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);

  private final Board board;
  private @Nullable EventStream events;

  WebHandler(Board board) {
    this.board = board;
  }

  /** Whether the answer has no end of its own. On the connection's event loop. */
  boolean isStreaming() {
    return events != null;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request)
      throws IOException {
    String path = request.uri().split("\\?", 2)[0];
    if (!request.decoderResult().isSuccess()) {
      refuse(ctx, HttpResponseStatus.BAD_REQUEST, "the request is no HTTP");
    } else if (!isOwn(request.headers())) {
      refuse(ctx, HttpResponseStatus.FORBIDDEN, "the demo is for pages of this machine alone");
    } else if (!path.equals("/") && isOfAnotherSite(request.headers())) {
      refuse(ctx, HttpResponseStatus.FORBIDDEN, "the demo is for its own page alone");
    } else if (path.equals("/settings")) {
      set(ctx, request);
    } else if (!request.method().equals(HttpMethod.GET)) {
      refuse(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, "GET alone, but is " + request.method());
    } else if (path.equals("/events")) {
      stream(ctx);
    } else {
      byte @Nullable [] file = PageFiles.read(path);
      if (file == null) {
        refuse(ctx, HttpResponseStatus.NOT_FOUND, "there is no " + path);
      } else {
        send(ctx, HttpResponseStatus.OK, PageFiles.type(path), Unpooled.wrappedBuffer(file));
      }
    }
  }

  /** Asked for by a name of this machine, and not by a page of another site. */
  private static boolean isOwn(HttpHeaders headers) {
    List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
    return hosts.size() == 1
        && OWN_NAME.matcher(hosts.get(0)).matches()
        && headers.getAll(HttpHeaderNames.ORIGIN).stream()
            .allMatch(origin -> origin.equalsIgnoreCase("http://" + hosts.get(0)));
  }

  /** A page of another site would keep the load going. Links to the demo are none of these. */
  private static boolean isOfAnotherSite(HttpHeaders headers) {
    return headers.getAll("sec-fetch-site").stream()
        .anyMatch(site -> !site.equals("same-origin") && !site.equals("none"));
  }

  private void set(ChannelHandlerContext ctx, FullHttpRequest request) {
    CharSequence type = HttpUtil.getMimeType(request);
    if (!request.method().equals(HttpMethod.POST)) {
      refuse(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, "POST alone, but is " + request.method());
    } else if (type == null || !"application/json".contentEquals(type)) {
      refuse(
          ctx,
          HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
          "Content-Type must be application/json, but is " + type);
    } else {
      try {
        board.set(request.content().toString(StandardCharsets.UTF_8));
        send(ctx, HttpResponseStatus.NO_CONTENT, "text/plain", Unpooled.EMPTY_BUFFER);
      } catch (IllegalArgumentException e) {
        refuse(ctx, HttpResponseStatus.BAD_REQUEST, String.valueOf(e.getMessage()));
      }
    }
  }

  private void stream(ChannelHandlerContext ctx) {
    if (board.pages() == Board.MOST_PAGES) {
      refuse(ctx, HttpResponseStatus.SERVICE_UNAVAILABLE, "too many pages are open");
      return;
    }
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    addCommon(head.headers(), "text/event-stream");
    HttpUtil.setTransferEncodingChunked(head, true);
    ctx.write(head);
    events = new EventStream(ctx);
    board.add(events);
    if (!ctx.channel().isActive()) {
      stop(); // it was closed meanwhile, and nobody says so again
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    stop();
    super.channelInactive(ctx);
  }

  private void stop() {
    if (events != null) {
      board.remove(events);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }

  private static void refuse(ChannelHandlerContext ctx, HttpResponseStatus status, String why) {
    send(
        ctx,
        status,
        "text/plain; charset=utf-8",
        Unpooled.copiedBuffer(why + "\n", StandardCharsets.UTF_8));
  }

  private static void send(
      ChannelHandlerContext ctx, HttpResponseStatus status, String type, ByteBuf content) {
    FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content);
    addCommon(response.headers(), type);
    if (!status.equals(HttpResponseStatus.NO_CONTENT)) {
      response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
    }
    response.headers().set(HttpHeaderNames.CONNECTION, "close");
    ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
  }

  private static void addCommon(HttpHeaders headers, String type) {
    headers.set(HttpHeaderNames.CONTENT_TYPE, type);
    headers.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    headers.set("content-security-policy", POLICY);
    headers.set("x-content-type-options", "nosniff");
    headers.set("referrer-policy", "no-referrer");
  }
}

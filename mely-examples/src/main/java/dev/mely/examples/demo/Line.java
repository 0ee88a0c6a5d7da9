package dev.mely.examples.demo;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ResetFrame;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * One request after the other, on a connection or each in a stream of its own. It is the last
 * handler of these. All on the load's event loop.
 */
@ChannelHandler.Sharable // by streams, one after the other
final class Line extends SimpleChannelInboundHandler<HttpObject> {
  /** What a line asks for, and when. */
  enum Kind {
    /** Work, when it has the last answer. */
    BUSY,

    /** Hardly anything, at random times. */
    LIGHT,

    /** To be blocked, when it has the last answer. */
    BLOCKING
  }

  private final Kind kind;
  private final String path;
  private final Load load;
  private final Consumer<FullHttpRequest> sender;

  /** Due times of requests that wait for the answer to the one before. */
  private final Deque<Long> waiting = new ArrayDeque<>();

  private boolean asking;
  private long due;

  /**
   * @param load is told of answers
   * @param sender sends requests, and tells the load if it fails
   */
  Line(Kind kind, String path, Load load, Consumer<FullHttpRequest> sender) {
    this.kind = kind;
    this.path = path;
    this.load = load;
    this.sender = sender;
  }

  Kind kind() {
    return kind;
  }

  /** Sends a request, if need be when those before have been answered. */
  void ask(long time) {
    if (asking) {
      waiting.add(time);
    } else {
      send(time);
    }
  }

  private void send(long time) {
    due = time;
    asking = true;
    FullHttpRequest request =
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
    request.headers().set(HttpHeaderNames.HOST, "localhost");
    sender.accept(request);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
    if (part instanceof HttpResponse response && !response.status().equals(HttpResponseStatus.OK)) {
      load.fail(new IOException(path + " was answered with " + response.status()));
    } else if (part instanceof LastHttpContent) {
      asking = false;
      long answered = due;
      Long next = waiting.poll();
      if (next != null) {
        send(next);
      }
      load.answered(this, answered);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Http2ResetFrame) {
      load.fail(new IOException("the server has reset a stream"));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    load.fail(cause);
  }
}

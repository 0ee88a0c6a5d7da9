package dev.mely.examples.demo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Answers requests of one connection, or of one stream: {@code /work/500} after 500 microseconds of
 * CPU time, {@code /block/100} after 100 milliseconds of sleep, as a handler that calls a database
 * would.
 */
final class WorkHandler extends SimpleChannelInboundHandler<HttpObject> {
  private static final String WORK = "/work/";
  private static final String BLOCK = "/block/";
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,5}");
  private static final int MOST = 10_000;

  private final CpuWork cpu;
  private long result = 1;

  WorkHandler(CpuWork cpu) {
    this.cpu = cpu;
  }

  /** The path of a request that works. */
  static String work(int micros) {
    return WORK + micros;
  }

  /** The path of a request that blocks. */
  static String block(int millis) {
    return BLOCK + millis;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // whoever has gone needs no answer
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject part)
      throws InterruptedException {
    if (part instanceof HttpRequest request) {
      boolean done = serve(request.uri());
      ByteBuf body = ByteBufUtil.writeUtf8(ctx.alloc(), Long.toString(result));
      FullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              done ? HttpResponseStatus.OK : HttpResponseStatus.NOT_FOUND,
              body);
      response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
      ctx.writeAndFlush(response);
    }
  }

  /** The client has gone, or this is ending. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // a failed close ends the connection anyway
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }

  /** Returns whether there is such a path. */
  private boolean serve(String path) throws InterruptedException {
    int amount = amount(path);
    if (amount >= 0 && path.startsWith(WORK)) {
      result = cpu.spend(amount, result);
      return true;
    }
    if (amount >= 0 && path.startsWith(BLOCK)) {
      TimeUnit.MILLISECONDS.sleep(amount);
      return true;
    }
    return false;
  }

  /** The number at the end; -1: there is none, or it is too large. */
  private static int amount(String path) {
    String last = path.substring(path.lastIndexOf('/') + 1);
    int amount = AMOUNT.matcher(last).matches() ? Integer.parseInt(last) : -1;
    return amount <= MOST ? amount : -1;
  }
}

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
 * Answers requests of one connection, or of one stream: {@code /key/busy/500} after 500
 * microseconds of CPU time, {@code /key/block/100} after 100 milliseconds of sleep, as a handler
 * that calls a database would. The load alone knows the key: a page in a browser could find the
 * port.
 */
final class WorkHandler extends SimpleChannelInboundHandler<HttpObject> {
  private static final String WORK = "/busy/";
  private static final String BLOCK = "/block/";
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,5}");
  private static final int MOST_MICROS = 10_000;
  private static final int MOST_MILLIS = 1_000;

  private final CpuWork cpu;
  private final String prefix;
  private long result = 1;

  /**
   * @param key of those who may ask: begins all paths
   */
  WorkHandler(CpuWork cpu, String key) {
    this.cpu = cpu;
    this.prefix = "/" + key;
  }

  /** The path of a request that works. */
  static String work(String key, int micros) {
    return "/" + key + WORK + micros;
  }

  /** The path of a request that blocks. */
  static String block(String key, int millis) {
    return "/" + key + BLOCK + millis;
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
    int micros = amount(path, prefix + WORK, MOST_MICROS);
    int millis = amount(path, prefix + BLOCK, MOST_MILLIS);
    if (micros >= 0) {
      result = cpu.spend(micros, result);
    } else if (millis >= 0) {
      TimeUnit.MILLISECONDS.sleep(millis);
    }
    return micros >= 0 || millis >= 0;
  }

  /** The number behind a beginning; -1: there is none, or it is too large. */
  private static int amount(String path, String beginning, int most) {
    String last = path.startsWith(beginning) ? path.substring(beginning.length()) : "";
    int amount = AMOUNT.matcher(last).matches() ? Integer.parseInt(last) : -1;
    return amount <= most ? amount : -1;
  }
}

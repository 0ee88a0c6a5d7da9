package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Serves the pieces of a file from the page cache: {@code GET /7} is answered with piece 7, of
 * {@link SfsSite#PIECE_BYTES}. Supports no other requests, and no header except the length: the
 * minimum for wrk, not a web server.
 */
@Sharable
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class ReadHandler extends LeavingHandler {
  private final FileChannel file;
  private final long pieces;

  ReadHandler(FileChannel file) throws IOException {
    this.file = file;
    this.pieces = file.size() / SfsSite.PIECE_BYTES;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws IOException {
    try {
      if (message instanceof HttpRequest request) {
        ctx.write(answer(ctx, piece(request.uri())), ctx.voidPromise());
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  /** Returns the number of the piece in a path; -1 if it is not one. */
  private long piece(String path) {
    try {
      long piece = Long.parseLong(path.substring(1));
      return piece >= 0 && piece < pieces ? piece : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private FullHttpResponse answer(ChannelHandlerContext ctx, long piece) throws IOException {
    ByteBuf content = piece < 0 ? Unpooled.EMPTY_BUFFER : read(ctx, piece);
    HttpResponseStatus status = piece < 0 ? HttpResponseStatus.NOT_FOUND : HttpResponseStatus.OK;
    FullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content);
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
    return answer;
  }

  private ByteBuf read(ChannelHandlerContext ctx, long piece) throws IOException {
    ByteBuf content = ctx.alloc().ioBuffer(SfsSite.PIECE_BYTES, SfsSite.PIECE_BYTES);
    long start = piece * SfsSite.PIECE_BYTES;
    try {
      while (content.isWritable()) {
        long from = start + content.readableBytes();
        if (content.writeBytes(file, from, content.writableBytes()) < 0) {
          throw new EOFException("the file has been truncated");
        }
      }
    } catch (IOException e) {
      content.release();
      throw e;
    }
    return content;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }
}

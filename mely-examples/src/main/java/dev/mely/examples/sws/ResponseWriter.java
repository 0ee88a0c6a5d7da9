package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Writes the responses of one connection in the order in which it is called: the paper's
 * WriteResponse. Does not flush, so that pipelined responses leave together. Loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class ResponseWriter {
  /** What is written here goes out as it is. */
  private final ChannelHandlerContext raw;

  /** What is written here goes through the HTTP encoder. */
  private final ChannelHandlerContext encoded;

  private final RequestDecoder decoder;

  /** Whether the next response is the last one. */
  private boolean last;

  private boolean ended;

  ResponseWriter(ChannelHandlerContext raw, ChannelHandlerContext encoded, RequestDecoder decoder) {
    this.raw = raw;
    this.encoded = encoded;
    this.decoder = decoder;
  }

  /** A whole file from memory. */
  void prebuilt(Request request, PrebuiltResponse response, HttpClock now) {
    ByteBuf header = raw.alloc().ioBuffer(response.length(request, now));
    response.write(request, now, header::writeBytes);
    boolean more = response.hasContentBehind(request);
    if (request.keepAlive()) {
      // A failed write reaches exceptionCaught; no promise need be made for it.
      raw.write(header, raw.voidPromise());
      if (more) {
        raw.write(Unpooled.wrappedBuffer(response.content()), raw.voidPromise());
      }
    } else {
      ChannelFuture written = raw.write(header);
      end(more ? raw.write(Unpooled.wrappedBuffer(response.content())) : written, false);
    }
  }

  /** What conditions and ranges make of a file from memory, if that is not the whole of it. */
  void selected(Request request, PrebuiltResponse response, Selection selection, HttpClock now) {
    Answer answer = Answer.of(request, response.file(), selection, isOpen(request), now);
    RangeHeader range = selection.range();
    if (range == null) {
      made(request, answer);
    } else {
      encoded.write(head(answer), encoded.voidPromise());
      ByteBuf content = Unpooled.wrappedBuffer(response.content(range));
      after(request, encoded.write(new DefaultLastHttpContent(content)));
    }
  }

  /**
   * What conditions and ranges make of a file from disk, without a copy. Closes the file when it
   * has been sent or cannot be; until it has been sent, no further request is decoded.
   */
  void file(
      Request request, Representation file, FileChannel channel, Selection selection, HttpClock now)
      throws IOException {
    Answer answer = Answer.of(request, file, selection, isOpen(request), now);
    RangeHeader range = selection.range();
    long first = range == null ? 0 : range.first();
    long length = range == null ? file.size() : range.length();
    boolean none = range == null && selection.kind() != Selection.Kind.WHOLE;
    if (request.head() || length == 0 || none) {
      made(request, answer);
      channel.close();
      return;
    }
    encoded.write(head(answer), encoded.voidPromise());
    decoder.hold();
    encoded.write(new DefaultFileRegion(channel, first, length), encoded.voidPromise());
    ChannelFuture sent = encoded.write(LastHttpContent.EMPTY_LAST_CONTENT);
    sent.addListener(
        future -> {
          if (future.isSuccess()) {
            decoder.release(raw);
          } else {
            channel().close();
            channel.close(); // the encoder does not, if the header before it has failed
          }
        });
    after(request, sent);
  }

  /** What was made for this one request. */
  void made(Request request, Answer answer) {
    after(request, write(answer));
  }

  /** An error in place of a file. */
  void refuse(Request request, Refusal refusal, HttpClock now) {
    boolean open = isOpen(request) && !refusal.isClosing();
    ChannelFuture written = write(Answer.refusal(request, refusal, open, now));
    if (!open) {
      end(written, refusal.isClosing());
    }
  }

  /** Makes the next response the last one. */
  void lastIsNext() {
    last = true;
  }

  /** Sends what has been written, then ends the connection. */
  void finish() {
    if (!ended) {
      end(raw.writeAndFlush(Unpooled.EMPTY_BUFFER), false);
    }
  }

  /** Whether the connection stays open behind the response to a request. */
  boolean isOpen(Request request) {
    return request.keepAlive() && !last;
  }

  private ChannelFuture write(Answer answer) {
    byte[] body = answer.body();
    encoded.write(head(answer), encoded.voidPromise());
    return encoded.write(
        body.length == 0
            ? LastHttpContent.EMPTY_LAST_CONTENT
            : new DefaultLastHttpContent(Unpooled.wrappedBuffer(body)));
  }

  private static HttpResponse head(Answer answer) {
    HttpResponse head =
        new DefaultHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status().code()));
    answer.fields().forEach(field -> head.headers().add(field.name(), field.value()));
    return head;
  }

  private void after(Request request, ChannelFuture written) {
    if (!request.keepAlive() || last) {
      end(written, false);
    }
  }

  /** Closes the connection once the last response has left. */
  private void end(ChannelFuture written, boolean mayStillSend) {
    ended = true;
    decoder.stop();
    written.addListener(
        future -> {
          if (future.isSuccess() && (mayStillSend || decoder.hasUnread())) {
            LingeringClose.start(channel());
          } else {
            channel().close();
          }
        });
  }

  private Channel channel() {
    return raw.channel();
  }
}

package dev.mely.examples.sws;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the responses of one connection in the order in which it is called: the paper's
 * WriteResponse. Does not flush, so that pipelined responses leave together. Loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class ResponseWriter {
  /** The value of the {@code Server} header. */
  static final String SERVER = "Mely-SWS";

  /** Tells browsers to trust the content type, with the value {@code nosniff}. */
  private static final AsciiString CONTENT_TYPE_OPTIONS =
      AsciiString.cached("x-content-type-options");

  private static final String TEXT = "text/plain; charset=utf-8";

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
    ByteBuf header = response.header(raw.alloc(), request, now);
    boolean more = response.hasContentAfterHeader(request);
    if (request.keepAlive()) {
      // A failed write reaches exceptionCaught; no promise need be made for it.
      raw.write(header, raw.voidPromise());
      if (more) {
        raw.write(response.content(), raw.voidPromise());
      }
    } else {
      ChannelFuture written = raw.write(header);
      end(more ? raw.write(response.content()) : written, false);
    }
  }

  /** A part of a file from memory. */
  void part(Request request, PrebuiltResponse response, RangeHeader range, HttpClock now) {
    FileInfo file = response.file();
    HttpResponse head = fileHead(request, file, range, now);
    encoded.write(head, encoded.voidPromise());
    after(request, encoded.write(new DefaultLastHttpContent(response.content(range))));
  }

  /**
   * A file, or a part of it, from disk, without a copy. Closes the file when it has been sent or
   * cannot be; until it has been sent, no further request is decoded.
   */
  void file(
      Request request,
      FileInfo file,
      FileChannel channel,
      @Nullable RangeHeader range,
      HttpClock now)
      throws IOException {
    HttpResponse head = fileHead(request, file, range, now);
    long first = range == null ? 0 : range.first();
    long length = range == null ? file.size() : range.length();
    encoded.write(head, encoded.voidPromise());
    if (request.head() || length == 0) {
      after(request, encoded.write(LastHttpContent.EMPTY_LAST_CONTENT));
      channel.close();
      return;
    }
    decoder.hold();
    encoded.write(new DefaultFileRegion(channel, first, length), encoded.voidPromise());
    ChannelFuture sent = encoded.write(LastHttpContent.EMPTY_LAST_CONTENT);
    sent.addListener(
        future -> {
          if (future.isSuccess()) {
            decoder.release(raw);
          } else {
            channel().close();
          }
        });
    after(request, sent);
  }

  /** The client's copy of a file is still good. */
  void notModified(Request request, FileInfo file, HttpClock now) {
    HttpResponse head = head(request, HttpResponseStatus.NOT_MODIFIED, request.keepAlive(), now);
    head.headers()
        .set(HttpHeaderNames.ETAG, file.etag())
        .set(HttpHeaderNames.LAST_MODIFIED, file.lastModified());
    encoded.write(head, encoded.voidPromise());
    after(request, encoded.write(LastHttpContent.EMPTY_LAST_CONTENT));
  }

  /** A directory has its content elsewhere: below a slash. */
  void redirect(Request request, String location, HttpClock now) {
    HttpResponse head =
        head(request, HttpResponseStatus.MOVED_PERMANENTLY, request.keepAlive(), now);
    head.headers().set(HttpHeaderNames.LOCATION, location);
    body(request, head, TEXT, location + '\n');
  }

  /** A page made for this request. */
  void page(Request request, String html, HttpClock now) {
    HttpResponse head = head(request, HttpResponseStatus.OK, request.keepAlive() && !last, now);
    head.headers()
        .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_CACHE)
        .set(
            HttpHeaderNames.CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'");
    body(request, head, "text/html; charset=utf-8", html);
  }

  /** No byte of the range is in the file. */
  void unsatisfiable(Request request, long size, HttpClock now) {
    HttpResponse head =
        head(request, HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE, request.keepAlive(), now);
    head.headers().set(HttpHeaderNames.CONTENT_RANGE, "bytes */" + size);
    body(request, head, TEXT, "The file has " + size + " bytes.\n");
  }

  /** An error in place of a file. */
  void refuse(Request request, Refusal refusal, HttpClock now) {
    HttpResponseStatus status = refusal.status();
    boolean open = request.keepAlive() && !refusal.isClosing() && !last;
    HttpResponse head = head(request, status, open, now);
    if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      head.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
    } else if (status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
      head.headers().set(HttpHeaderNames.RETRY_AFTER, "1");
    }
    ChannelFuture written = write(request, head, TEXT, status + "\n" + refusal.reason() + "\n");
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

  private void body(Request request, HttpResponse head, String type, String text) {
    after(request, write(request, head, type, text));
  }

  private ChannelFuture write(Request request, HttpResponse head, String type, String text) {
    ByteBuf bytes = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
    head.headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(CONTENT_TYPE_OPTIONS, "nosniff")
        .set(HttpHeaderNames.CONTENT_LENGTH, bytes.readableBytes());
    encoded.write(head, encoded.voidPromise());
    return encoded.write(
        request.head() ? LastHttpContent.EMPTY_LAST_CONTENT : new DefaultLastHttpContent(bytes));
  }

  private static HttpResponse fileHead(
      Request request, FileInfo file, @Nullable RangeHeader range, HttpClock now) {
    HttpResponseStatus status =
        range == null ? HttpResponseStatus.OK : HttpResponseStatus.PARTIAL_CONTENT;
    HttpResponse head = head(request, status, request.keepAlive(), now);
    HttpHeaders headers = head.headers();
    headers
        .set(HttpHeaderNames.CONTENT_TYPE, file.contentType())
        .set(HttpHeaderNames.CONTENT_LENGTH, range == null ? file.size() : range.length())
        .set(HttpHeaderNames.ETAG, file.etag())
        .set(HttpHeaderNames.LAST_MODIFIED, file.lastModified())
        .set(HttpHeaderNames.ACCEPT_RANGES, HttpHeaderValues.BYTES)
        .set(CONTENT_TYPE_OPTIONS, "nosniff");
    if (range != null) {
      headers.set(
          HttpHeaderNames.CONTENT_RANGE,
          "bytes " + range.first() + '-' + range.last() + '/' + file.size());
    }
    return head;
  }

  private static HttpResponse head(
      Request request, HttpResponseStatus status, boolean open, HttpClock now) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    HttpHeaders headers = head.headers();
    headers.set(HttpHeaderNames.SERVER, SERVER).set(HttpHeaderNames.DATE, now.date());
    if (!open) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (request.http10()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
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

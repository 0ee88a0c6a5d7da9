package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2StreamChannel;

/** An HTTP/2 stream as its off-loaded handlers see it. */
final class OffloadStreamChannel extends OffloadChannel implements Http2StreamChannel {
  private final Http2StreamChannel real;

  private OffloadStreamChannel(Http2StreamChannel real, OffloadLoop loop, Outbound outbound) {
    super(real, loop, outbound);
    this.real = real;
  }

  static boolean fits(Channel real) {
    return real instanceof Http2StreamChannel;
  }

  static OffloadChannel of(Channel real, OffloadLoop loop, Outbound outbound) {
    return new OffloadStreamChannel((Http2StreamChannel) real, loop, outbound);
  }

  @Override
  public Http2FrameStream stream() {
    return real.stream();
  }
}

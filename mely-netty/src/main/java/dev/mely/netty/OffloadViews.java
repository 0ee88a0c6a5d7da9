package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannel;

/** Makes the inner channel that fits a real one. */
final class OffloadViews {
  /** Netty's codec for HTTP/2 is optional. */
  private static final boolean HTTP2 = isPresent("io.netty.handler.codec.http2.Http2StreamChannel");

  private OffloadViews() {}

  static OffloadChannel of(Channel real, OffloadLoop loop, Outbound outbound) {
    if (real instanceof SocketChannel socket) {
      return new OffloadSocketChannel(socket, loop, outbound);
    }
    if (real instanceof DuplexChannel duplex) {
      return new OffloadDuplexChannel(duplex, loop, outbound);
    }
    if (HTTP2 && OffloadStreamChannel.fits(real)) {
      return OffloadStreamChannel.of(real, loop, outbound);
    }
    return new OffloadChannel(real, loop, outbound);
  }

  private static boolean isPresent(String type) {
    try {
      Class.forName(type, false, OffloadViews.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}

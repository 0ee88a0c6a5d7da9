package dev.mely.netty;

import io.netty.channel.ChannelHandlerContext;

/** Back-pressure of an HTTP/2 stream: its window is credited with what has been handled. */
interface Credit {
  /** What a message takes of the window, in bytes. */
  int bytesOf(Object message);

  /** The frame that gives it back. */
  Object frame(int bytes);

  /** More waits of what no window bounds than may. */
  void exceeded(ChannelHandlerContext ctx);
}

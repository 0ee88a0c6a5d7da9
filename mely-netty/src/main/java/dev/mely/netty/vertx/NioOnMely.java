package dev.mely.netty.vertx;

import io.netty.channel.EventLoopGroup;
import io.vertx.core.impl.transports.NioTransport;
import java.util.concurrent.ThreadFactory;

/**
 * Vert.x's NIO with Mely's event loops. A subclass, because Vert.x takes any other class for a
 * native transport.
 */
final class NioOnMely extends NioTransport {
  private final String name;

  /** With a name for the log. */
  NioOnMely(String name) {
    this.name = name;
  }

  /** The thread that accepts connections stays Netty's: there is nothing to steal. */
  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
    return type == IO_EVENT_LOOP_GROUP
        ? Loops.start(threads, factory, ioHandlerFactory(), name)
        : super.eventLoopGroup(type, threads, factory, ioRatio);
  }
}

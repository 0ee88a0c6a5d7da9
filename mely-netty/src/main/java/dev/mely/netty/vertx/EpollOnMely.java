package dev.mely.netty.vertx;

import io.netty.channel.EventLoopGroup;
import io.vertx.core.impl.transports.EpollTransport;
import java.util.concurrent.ThreadFactory;

/** Vert.x's epoll with Mely's event loops. */
final class EpollOnMely extends EpollTransport {
  /** As in {@link NioOnMely}. */
  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
    return type == IO_EVENT_LOOP_GROUP
        ? Loops.start(threads, factory, ioHandlerFactory(), "epoll")
        : super.eventLoopGroup(type, threads, factory, ioRatio);
  }
}

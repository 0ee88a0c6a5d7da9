package dev.mely.netty.monitor;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;

/** Makes I/O handlers that tell a {@link StockGroup} what their loops run. */
final class WatchedFactory implements IoHandlerFactory {
  private final IoHandlerFactory factory;
  private final StockGroup group;

  WatchedFactory(IoHandlerFactory factory, StockGroup group) {
    this.factory = factory;
    this.group = group;
  }

  @Override
  public IoHandler newHandler(ThreadAwareExecutor loop) {
    StockLoop watched = new StockLoop();
    IoHandler io = factory.newHandler(loop);
    try {
      WatchedIoHandler handler =
          new WatchedIoHandler(io, watched.recorder(), () -> group.remove(watched));
      group.add(watched);
      return handler;
    } catch (RuntimeException | Error e) { // the caller never gets it, so cannot close it
      destroy(io, e);
      throw e;
    }
  }

  private static void destroy(IoHandler io, Throwable reason) {
    try {
      try {
        io.prepareToDestroy();
      } finally {
        io.destroy();
      }
    } catch (RuntimeException | Error e) {
      reason.addSuppressed(e);
    }
  }

  @Override
  public boolean isChangingThreadSupported() {
    return factory.isChangingThreadSupported();
  }
}

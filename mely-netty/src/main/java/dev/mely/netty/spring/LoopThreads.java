package dev.mely.netty.spring;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import reactor.core.scheduler.NonBlocking;

/**
 * Makes threads like those that reactor-netty makes for itself: daemons, on which Reactor refuses
 * to block.
 */
final class LoopThreads extends DefaultThreadFactory {
  LoopThreads() {
    super("mely", true);
  }

  @Override
  protected Thread newThread(Runnable body, String name) {
    return new LoopThread(threadGroup, body, name);
  }

  private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {
    LoopThread(ThreadGroup group, Runnable body, String name) {
      super(group, body, name);
    }
  }
}

package dev.mely.bench.baseline;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.NonStickyEventExecutorGroup;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Netty's ordered execution on any of several threads: {@link NonStickyEventExecutorGroup} over
 * {@link UnorderedThreadPoolEventExecutor}. A color is one of its executors.
 */
final class NonStickyContestant extends Peer<EventExecutor> {
  private static final long CLOSE_SECONDS = 10;

  private final NonStickyEventExecutorGroup group;

  @SuppressWarnings("deprecation") // the group is made for it
  NonStickyContestant(int cores, boolean pinned) {
    super(cores, pinned);
    this.group =
        new NonStickyEventExecutorGroup(
            new UnorderedThreadPoolEventExecutor(cores, task -> new NettyThread(task, crew)));
  }

  @Override
  public EventExecutor newColor(int core) {
    return group.next();
  }

  @Override
  public void register(EventExecutor color, Job job) {
    color.execute(job);
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static final class NettyThread extends FastThreadLocalThread implements Crew.Member {
    private final Crew crew;
    private final Worker worker;

    NettyThread(Runnable task, Crew crew) {
      super(task, "netty");
      this.crew = crew;
      this.worker = crew.newWorker();
      crew.watch(this);
      setDaemon(true);
    }

    @Override
    public void run() {
      crew.pinThisThread();
      super.run();
    }

    @Override
    public Worker worker() {
      return worker;
    }
  }
}

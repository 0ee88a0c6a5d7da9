package dev.mely.netty.peers;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.MelyEventLoopGroupBuilder;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the groups for which tests of others ask with a constructor. Public, because rewritten
 * classes call it.
 */
@SuppressWarnings("overloads") // As those of the constructors are.
public final class PeerGroups {
  private static final Mode MODE = Mode.named(System.getProperty(Mode.PROPERTY, "stock"));

  /**
   * With one core there is nowhere to migrate to, and tests like to ask for one. The same number
   * for the stock group shows what a test makes of a group that is wider than it asked for.
   */
  private static final int LEAST_THREADS =
      Integer.getInteger("dev.mely.netty.peers.leastThreads", MODE == Mode.MIGRATING ? 3 : 0);

  private static final AtomicInteger MADE = new AtomicInteger();
  private static final AtomicInteger REFUSED = new AtomicInteger();

  private PeerGroups() {}

  /** How many groups of the mode's kind have been made. */
  static int made() {
    return MADE.get();
  }

  /** How many are Netty's own because Mely's has no such constructor. */
  static int refused() {
    return REFUSED.get();
  }

  /** In place of that of {@code NioEventLoopGroup}. */
  public static MultiThreadIoEventLoopGroup create() {
    return create(NioIoHandler.newFactory());
  }

  /** In place of the constructor with these parameters, as are the others. */
  public static MultiThreadIoEventLoopGroup create(IoHandlerFactory io) {
    return create(0, (ThreadFactory) null, io);
  }

  /** See {@link #create(IoHandlerFactory)}. */
  public static MultiThreadIoEventLoopGroup create(int threads, IoHandlerFactory io) {
    return create(threads, (ThreadFactory) null, io);
  }

  /** See {@link #create(IoHandlerFactory)}. */
  public static MultiThreadIoEventLoopGroup create(
      @Nullable ThreadFactory factory, IoHandlerFactory io) {
    return create(0, factory, io);
  }

  /** See {@link #create(IoHandlerFactory)}. */
  public static MultiThreadIoEventLoopGroup create(
      int asked, @Nullable ThreadFactory factory, IoHandlerFactory io) {
    MADE.incrementAndGet();
    int threads = Math.max(asked, LEAST_THREADS);
    if (MODE == Mode.STOCK) {
      return new MultiThreadIoEventLoopGroup(threads, factory, io);
    }
    MelyEventLoopGroupBuilder builder = MelyEventLoopGroup.builder().ioHandlerFactory(io);
    if (factory != null) {
      builder.threadFactory(factory);
    }
    // The seed comes from the system property, as for any foreign program.
    return builder.cores(threads).build();
  }

  /** See {@link #create(IoHandlerFactory)}. */
  public static MultiThreadIoEventLoopGroup create(
      @Nullable Executor executor, IoHandlerFactory io) {
    return create(0, executor, io);
  }

  /** See {@link #create(IoHandlerFactory)}. */
  public static MultiThreadIoEventLoopGroup create(
      int threads, @Nullable Executor executor, IoHandlerFactory io) {
    if (executor == null) {
      return create(threads, (ThreadFactory) null, io);
    }
    REFUSED.incrementAndGet();
    return new MultiThreadIoEventLoopGroup(threads, executor, io);
  }

  /** See {@link #create(IoHandlerFactory)}. */
  public static MultiThreadIoEventLoopGroup create(
      int threads,
      @Nullable Executor executor,
      EventExecutorChooserFactory chooser,
      IoHandlerFactory io) {
    REFUSED.incrementAndGet();
    return new MultiThreadIoEventLoopGroup(threads, executor, chooser, io);
  }
}

package dev.mely.netty;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.netty.blocking.WorkerThreads;
import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind a group: the Mely runtime, one I/O poller and one fixed event loop per core,
 * and the group's life cycle.
 *
 * <p>Built in three steps, because the group's superclass makes the fixed event loops in its
 * constructor: the constructor opens the I/O handlers, {@link #newCoreLoop} is called once per
 * core, {@link #start} starts the workers. Thread-safe from then on.
 */
final class Engine {
  static final int RUNNING = 0;
  static final int SHUTTING_DOWN = 1;
  static final int SHUT_DOWN = 2;
  static final int TERMINATED = 3;

  private static final Handler<ColorEventLoop> TELL = Handler.of(ColorEventLoop::onShuttingDown);

  private final GroupSettings settings;
  private final IoPoller[] pollers;
  private final @Nullable Transport transport;
  private final boolean rings;
  private final List<CoreEventLoop> coreLoops = new ArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final Promise<?> termination = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
  private final AtomicInteger state = new AtomicInteger(RUNNING);
  private final Arrivals arrivals = new Arrivals();
  private final Families families = new Families();
  private final Siblings tasks = new Siblings();
  private final AtomicInteger registrations = new AtomicInteger();

  /** Loops that must be told of a shutdown: they have scheduled tasks, or hooks. */
  private final Set<ColorEventLoop> attended = ConcurrentHashMap.newKeySet();

  private volatile long lastActivity;

  /** The thread of {@link #bury}. Plain: no other thread finds itself here. */
  private @Nullable Thread undertaker;

  // Set by the steps of the construction.

  @SuppressWarnings("NullAway.Init")
  private MelyEventLoopGroup group;

  @SuppressWarnings("NullAway.Init")
  private Mely mely;

  @SuppressWarnings("NullAway.Init")
  private LoopPool pool;

  /**
   * Opens the I/O handlers.
   *
   * @param settings checked and complete
   * @throws IllegalStateException if a handler cannot be opened
   */
  Engine(GroupSettings settings) {
    this.settings = settings;
    IoHandlerFactory factory = settings.ioHandlerFactory();
    pollers = new IoPoller[settings.cores()];
    int made = 0;
    try {
      for (; made < pollers.length; made++) {
        pollers[made] = new IoPoller(made, factory);
      }
      transport = Transport.of(factory, pollers[0].io(), pollers.length);
      rings = isIoUring(pollers[0].io());
      prepare();
    } catch (Throwable e) {
      for (int i = 0; i < made; i++) {
        pollers[i].io().destroy();
      }
      if (e instanceof RuntimeException runtime) {
        throw runtime;
      }
      if (e instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("cannot open the I/O handlers", e);
    }
  }

  private static boolean isIoUring(IoHandler io) {
    try {
      return IoUringNatives.serves(io);
    } catch (LinkageError e) {
      return false; // without its classes it is something else
    }
  }

  private void prepare() throws Exception {
    Transport t = transport;
    if (t == null) {
      return;
    }
    for (IoPoller poller : pollers) {
      poller
          .section()
          .call(
              () -> {
                t.prepare(poller.core(), poller.io());
                return true;
              });
    }
  }

  /** Makes the fixed event loop of the next core. */
  CoreEventLoop newCoreLoop(MelyEventLoopGroup owner) {
    group = owner;
    CoreEventLoop loop = new CoreEventLoop(this, pollers[coreLoops.size()]);
    coreLoops.add(loop);
    return loop;
  }

  /** Starts the workers. */
  void start() {
    MelyBuilder builder =
        Mely.builder()
            .cores(pollers.length)
            .policy(settings.policy())
            .order(settings.order())
            .pinned(settings.pinned())
            .batch(settings.batch())
            .spins(0) // what an idle core waits for comes from the poller
            .pollers(core -> pollers[core])
            .threadFactory(new Workers());
    Duration watchTime = settings.watchTime();
    if (watchTime != null) {
      builder.watchTime(watchTime);
    }
    Long seed = settings.seed();
    if (seed != null) {
      builder.randomMigration(seed);
    }
    mely = builder.build();
    for (CoreEventLoop loop : coreLoops) {
      loop.attach(mely.newPinnedColor(loop.poller().core()));
    }
    pool = new LoopPool(this, settings.sharedColors());
  }

  /** After a failed start. */
  void abandon() {
    for (IoPoller poller : pollers) {
      poller.io().destroy();
    }
  }

  GroupSettings settings() {
    return settings;
  }

  MelyEventLoopGroup group() {
    return group;
  }

  Mely mely() {
    return mely;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  Families families() {
    return families;
  }

  /** What is known of the tasks of loops. */
  Siblings tasks() {
    return tasks;
  }

  LoopPool pool() {
    return pool;
  }

  int cores() {
    return pollers.length;
  }

  IoPoller poller(int core) {
    return pollers[core];
  }

  CoreEventLoop coreLoop(int core) {
    return coreLoops.get(core);
  }

  /** Whether channels have colors; if not, they are served by the fixed loops. */
  boolean isColored() {
    return transport != null;
  }

  /** For a transport that is bound to threads. */
  PinnedRegistration newPinnedRegistration(
      CoreEventLoop loop, IoHandle handle, @Nullable Channel channel) {
    return rings
        ? IoUringNatives.newRegistration(loop, handle, channel)
        : new PinnedRegistration(loop, channel);
  }

  Transport transport() {
    return Objects.requireNonNull(transport, "the transport is bound to threads");
  }

  /** Makes an event loop with a new color. */
  ColorEventLoop newLoop(int core) {
    return new ColorEventLoop(this, pollers[core], mely.newColor(core));
  }

  // ---- What loops report

  void registered() {
    registrations.getAndIncrement();
  }

  void unregistered() {
    registrations.getAndDecrement();
  }

  int registrations() {
    return registrations.get();
  }

  void attend(ColorEventLoop loop) {
    attended.add(loop);
  }

  void neglect(ColorEventLoop loop) {
    attended.remove(loop);
  }

  /** A task has run: while shutting down, that starts the quiet period anew. */
  void noteActivity() {
    if (state.get() != RUNNING) {
      lastActivity = System.nanoTime();
    }
  }

  long lastActivity() {
    return lastActivity;
  }

  // ---- Life cycle

  /** See {@link io.netty.util.concurrent.EventExecutorGroup#shutdownGracefully}. */
  void shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    Objects.requireNonNull(unit, "unit");
    if (quietPeriod < 0) {
      throw new IllegalArgumentException("quietPeriod: " + quietPeriod + " (expected: >= 0)");
    }
    if (timeout < quietPeriod) {
      throw new IllegalArgumentException(
          "timeout: " + timeout + " (expected >= quietPeriod (" + quietPeriod + "))");
    }
    lastActivity = System.nanoTime();
    if (state.compareAndSet(RUNNING, SHUTTING_DOWN)) {
      GroupShutdown shutdown =
          new GroupShutdown(this, unit.toNanos(quietPeriod), unit.toNanos(timeout));
      Thread thread = new Thread(shutdown, "mely-netty-shutdown");
      thread.setDaemon(true); // the workers keep the virtual machine alive if they are to
      thread.start();
    }
  }

  /** Closes all channels and cancels all scheduled tasks, each in its color. */
  void wind() {
    for (IoPoller poller : pollers) {
      poller.closeHandles();
    }
    coreLoops.forEach(this::tell);
    attended.forEach(this::tell);
  }

  /**
   * The workers have gone. What their colors would have ended, had they had another turn: somebody
   * may wait for a scheduled task, or rely on a hook. A color that was busy all through the
   * shutdown, or scheduled something just as the timers were dropped, has not been told in time.
   * Listeners run at once, on the calling thread: it takes the place of every loop's.
   */
  void bury() {
    undertaker = Thread.currentThread();
    attended.forEach(ColorEventLoop::onShuttingDown);
  }

  /** Whether the thread is the one that ends what the workers have left. */
  boolean isUndertaker(Thread thread) {
    return undertaker == thread;
  }

  private void tell(ColorEventLoop loop) {
    if (!loop.startTelling()) {
      return; // it is stuck: no use telling it again
    }
    try {
      mely.register(loop.color(), TELL, loop);
    } catch (RejectedExecutionException e) {
      // The runtime has ended, and its timers with it.
    }
  }

  void setState(int newState) {
    state.set(newState);
  }

  List<Thread> threads() {
    return threads;
  }

  Future<?> termination() {
    return termination;
  }

  void terminated() {
    setState(TERMINATED);
    termination.trySuccess(null);
  }

  boolean isShuttingDown() {
    return state.get() >= SHUTTING_DOWN;
  }

  boolean isShutdown() {
    return state.get() >= SHUT_DOWN;
  }

  boolean isTerminated() {
    return state.get() == TERMINATED;
  }

  /** Makes the workers' threads: each is the thread of its core's fixed event loop. */
  private final class Workers implements ThreadFactory {
    private final ThreadFactory factory;
    private int made;

    Workers() {
      ThreadFactory given = settings.threadFactory();
      factory =
          given != null
              ? given
              : new DefaultThreadFactory(MelyEventLoopGroup.class, Thread.MAX_PRIORITY);
    }

    @Override
    public Thread newThread(Runnable body) {
      Thread thread = coreLoops.get(made++).host(body, factory);
      threads.add(thread);
      WorkerThreads.add(thread);
      return thread;
    }
  }
}

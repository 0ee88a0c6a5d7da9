package dev.mely.netty;

import dev.mely.netty.blocking.WorkerThreads;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;

/**
 * The cores of a group. Each has an I/O poller, a fixed event loop and a worker's thread; they are
 * opened, started and closed together.
 *
 * <p>Built in steps, because the group's superclass makes the fixed event loops in its constructor:
 * the constructor opens the I/O handlers, {@link #newCoreLoop} is called once per core, {@link
 * #start} starts the threads, {@link #run} lets them work. After a failure {@link #cancelStart}
 * closes all of it. Thread-safe from then on.
 */
final class Cores {
  private final GroupSettings settings;
  private final GroupState groupState;
  private final List<IoPoller> pollers = new ArrayList<>();
  private final Transport transport;
  private final StartLatch startLatch;
  private final List<CoreEventLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /** There is a runtime. Confined to the thread that builds the group. */
  private boolean started;

  /**
   * Opens the I/O handlers.
   *
   * @param settings checked and complete
   * @throws IllegalStateException if a handler cannot be opened
   */
  Cores(GroupSettings settings) {
    this.settings = settings;
    this.groupState = new GroupState(settings);
    this.startLatch = new StartLatch(groupState, pollers);
    IoHandlerFactory factory = settings.ioHandlerFactory();
    try {
      for (int core = 0; core < settings.cores(); core++) {
        pollers.add(new IoPoller(core, factory));
      }
      transport = Transports.of(factory, pollers.get(0).io());
      for (IoPoller poller : pollers) {
        prepare(transport, poller);
      }
    } catch (Throwable e) {
      pollers.forEach(IoPoller::close);
      NettyVersions.explain(e);
      if (e instanceof RuntimeException runtime) {
        throw runtime;
      }
      if (e instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("cannot open the I/O handlers", e);
    }
  }

  private static void prepare(Transport transport, IoPoller poller) throws Exception {
    poller.minWait(transport.minWaitNanos());
    if (transport.isBoundToThread()) {
      return; // no thread may enter the section before that one
    }
    poller
        .section()
        .call(
            () -> {
              transport.prepare(poller.core(), poller.io());
              return true;
            });
  }

  /** Makes the fixed event loop of the next core. */
  CoreEventLoop newCoreLoop(EventLoopGroup group) {
    groupState.attach(group);
    CoreEventLoop loop =
        new CoreEventLoop(groupState, pollers.get(loops.size()), transport, startLatch);
    loops.add(loop);
    if (transport.isBoundToThread()) {
      loop.poller().bind(loop);
    }
    return loop;
  }

  /** Starts the runtime, and with it the workers' threads, which wait for {@link #run}. */
  void start() {
    // A copy: the program may have kept the builder that it was handed.
    groupState.attach(
        settings
            .runtime()
            .copy()
            .cores(size())
            .pollers(pollers::get)
            .threadFactory(new Workers())
            .shutdownGuard(groupState::refuseOtherEnd)
            .build());
    started = true;
    for (CoreEventLoop loop : loops) {
      loop.attach(groupState.mely().newPinnedColor(loop.poller().core()));
    }
  }

  /** Lets the workers work. */
  void run() {
    startLatch.open();
  }

  /**
   * After a failed start: leaves no thread and no descriptor. Threads that have been started end
   * without running a worker; or, if there is a runtime, it ends its workers.
   */
  void cancelStart() {
    groupState.setState(GroupState.SHUT_DOWN);
    if (started) {
      startLatch.open();
      groupState.endRuntime(Duration.ZERO);
    } else {
      startLatch.cancel();
    }
    joinThreads();
    pollers.forEach(IoPoller::close);
    groupState.terminated();
  }

  // ---- While the group runs

  GroupState groupState() {
    return groupState;
  }

  Transport transport() {
    return transport;
  }

  int size() {
    return pollers.size();
  }

  IoPoller poller(int core) {
    return pollers.get(core);
  }

  CoreEventLoop loop(int core) {
    return loops.get(core);
  }

  List<Thread> threads() {
    return threads;
  }

  /** Makes an event loop with a new color. */
  ColorEventLoop newLoop(int core) {
    return new ColorEventLoop(
        groupState, poller(core), transport, groupState.mely().newColor(core));
  }

  // ---- Shutdown

  /** Closes all channels and cancels all scheduled tasks, each in its color. */
  void closeAll() {
    for (IoPoller poller : pollers) {
      ShutdownStep.run(poller::closeHandles);
    }
    for (ColorTasks loop : loops) {
      ShutdownStep.run(loop::shutDownLater);
    }
    ShutdownStep.run(groupState::shutDownLoops);
  }

  /** Waits for the end of the workers' threads, even if the caller is interrupted. */
  void joinThreads() {
    for (int i = 0; i < threads.size(); i++) { // no iterator, for which there may be no memory
      join(threads.get(i));
    }
  }

  @SuppressWarnings("ThreadJoinLoop") // the interrupt is set again for the caller afterwards
  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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
              : new DefaultThreadFactory(groupState.group().getClass(), Thread.MAX_PRIORITY);
    }

    @Override
    public Thread newThread(Runnable body) {
      Thread thread = loops.get(made++).newThread(body, factory);
      threads.add(thread);
      WorkerThreads.add(thread);
      return thread;
    }
  }
}

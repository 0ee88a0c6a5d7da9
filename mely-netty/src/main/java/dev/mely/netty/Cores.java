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
 * leaves nothing. Thread-safe from then on.
 */
final class Cores {
  private final GroupSettings settings;
  private final Engine engine;
  private final List<IoPoller> pollers = new ArrayList<>();
  private final Transport transport;
  private final StartGate gate;
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
    this.engine = new Engine(settings);
    this.gate = new StartGate(engine, pollers);
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
      return; // nobody enters the section before that thread
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
    engine.attach(group);
    CoreEventLoop loop = new CoreEventLoop(engine, pollers.get(loops.size()), transport, gate);
    loops.add(loop);
    if (transport.isBoundToThread()) {
      loop.poller().bind(loop);
    }
    return loop;
  }

  /** Starts the runtime, and with it the workers' threads, which wait for {@link #run}. */
  void start() {
    engine.attach(
        settings
            .runtime()
            .cores(size())
            .pollers(pollers::get)
            .threadFactory(new Workers())
            .shutdownGuard(engine::refuseOtherEnd)
            .build());
    started = true;
    for (CoreEventLoop loop : loops) {
      loop.attach(engine.mely().newPinnedColor(loop.poller().core()));
    }
  }

  /** Lets the workers work. */
  void run() {
    gate.open();
  }

  /**
   * After a failed start: leaves no thread and no descriptor. Threads that have been started have
   * not got to their worker yet, unless there is a runtime, which then ends them.
   */
  void cancelStart() {
    engine.setState(Engine.SHUT_DOWN);
    if (started) {
      gate.open();
      engine.endRuntime(Duration.ZERO);
    } else {
      gate.cancel();
    }
    joinThreads();
    pollers.forEach(IoPoller::close);
    engine.terminated();
  }

  // ---- While the group runs

  Engine engine() {
    return engine;
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
    return new ColorEventLoop(engine, poller(core), transport, engine.mely().newColor(core));
  }

  // ---- Shutdown

  /** Closes all channels and cancels all scheduled tasks, each in its color. */
  void closeAll() {
    for (IoPoller poller : pollers) {
      Attempt.at(poller::closeHandles);
    }
    for (ColorTasks loop : loops) {
      Attempt.at(loop::shutDownLater);
    }
    Attempt.at(engine::shutDownLoops);
  }

  /** Waits for the end of the workers' threads, whatever happens. */
  void joinThreads() {
    threads.forEach(Cores::join);
  }

  @SuppressWarnings("ThreadJoinLoop") // an interrupt is the caller's business, but not before
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
              : new DefaultThreadFactory(engine.group().getClass(), Thread.MAX_PRIORITY);
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

package dev.mely.netty;

import dev.mely.Color;
import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The fixed event loop of one core: a color that is never stolen. {@link
 * MelyEventLoopGroup#iterator} yields these.
 *
 * <p>Two more duties come with being fixed:
 *
 * <ul>
 *   <li>It is the event executor that Netty's allocators find behind the worker's thread. They keep
 *       per-thread caches only for threads that were started by an event executor, so the worker
 *       runs inside {@link #run}, on the thread that the superclass starts.
 *   <li>Transports that are bound to a thread register their channels here. Their handles are
 *       called by the poll itself, on the worker, as in any other event loop group.
 * </ul>
 */
final class CoreEventLoop extends ColorEventLoop {
  private final Launcher launcher;
  private final AtomicInteger pending = new AtomicInteger();
  private @Nullable Runnable worker;

  /** The worker's thread once the worker has ended and the superclass winds up. */
  private volatile @Nullable Thread leaving;

  CoreEventLoop(Engine engine, IoPoller poller) {
    this(engine, poller, new Launcher());
  }

  private CoreEventLoop(Engine engine, IoPoller poller, Launcher launcher) {
    super(engine, poller, launcher);
    this.launcher = launcher;
  }

  // ---- The worker's thread

  /**
   * Makes the thread of the core's worker, without starting it.
   *
   * @param body the worker
   * @param factory makes the thread
   * @return the thread
   * @throws IllegalStateException if the factory makes none
   */
  Thread host(Runnable body, ThreadFactory factory) {
    worker = body;
    launch();
    Runnable command = launcher.command;
    if (command == null) {
      throw new IllegalStateException("the worker of this core has been started already");
    }
    launcher.command = null;
    @Nullable Thread thread = factory.newThread(command);
    if (thread == null) {
      throw new IllegalStateException("the thread factory made no thread for " + this);
    }
    return thread;
  }

  @Override
  protected void run() {
    Runnable body = worker;
    if (body == null) {
      throw new IllegalStateException("there is no worker to run");
    }
    Thread self = Thread.currentThread();
    poller().section().bindTo(self);
    body.run();
    leaving = self;
    confirmShutdown(); // or the superclass takes the end for a bug
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    @Nullable Color color = color(); // null while the superclass is being constructed
    if (color != null && super.inEventLoop(thread)) {
      return true;
    }
    // Handles that are bound to the thread are called by the poll.
    return leaving == thread
        || (!engine().isColored() && poller().section().isExecutorThread(thread));
  }

  // ---- Tasks are counted, for gauges

  @Override
  public void execute(Runnable task) {
    pending.getAndIncrement();
    try {
      super.execute(task);
    } catch (RejectedExecutionException | NullPointerException e) {
      pending.getAndDecrement();
      throw e;
    }
  }

  @Override
  void serve(Runnable task) {
    pending.getAndDecrement();
    super.serve(task);
  }

  /** Tasks of this loop, and one for each color that waits for the core: the core's backlog. */
  @Override
  public int pendingTasks() {
    return pending.get() + engine().mely().colorsWaiting(poller().core());
  }

  // ---- Channels of transports that are bound to a thread

  @Override
  IoRegistration enter(IoHandle handle, @Nullable Channel channel) throws Exception {
    if (engine().isColored()) {
      return super.enter(handle, channel);
    }
    PinnedRegistration registration = engine().newPinnedRegistration(this, handle, channel);
    poller()
        .section()
        .call(
            () -> {
              // Tells the handle, too.
              registration.bind(poller().io().register(registration.entrance(handle)));
              return true;
            });
    registered(registration);
    return registration;
  }

  /** Catches what the superclass wants to run on a new thread. */
  private static final class Launcher implements Executor {
    private @Nullable Runnable command;

    @Override
    public void execute(Runnable newCommand) {
      command = newCommand;
    }
  }
}

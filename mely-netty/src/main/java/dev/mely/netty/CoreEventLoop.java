package dev.mely.netty;

import dev.mely.Color;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The fixed event loop of one core: a color that is never stolen. {@link
 * MelyEventLoopGroup#iterator} yields these.
 *
 * <p>Because it is fixed it has two more duties:
 *
 * <ul>
 *   <li>It is the event executor that Netty's allocators find behind the worker's thread. They keep
 *       per-thread caches only for threads that an event executor has started, so the worker runs
 *       inside {@link #run}, on the thread that the superclass starts.
 *   <li>Transports that are bound to a thread register their channels here. Their handles are
 *       called by the poll itself, on the worker, as in any other event loop group.
 * </ul>
 */
final class CoreEventLoop extends ColorEventLoop {
  private final StartLatch startLatch;
  private final Starter starter;
  private final AtomicInteger pending = new AtomicInteger();
  private @Nullable Runnable worker;

  /** The worker's thread once the worker has ended and the superclass cleans up. */
  private volatile @Nullable Thread cleanupThread;

  /**
   * @param startLatch what the worker waits for before it begins
   */
  CoreEventLoop(
      GroupState groupState, IoPoller poller, Transport transport, StartLatch startLatch) {
    this(groupState, poller, transport, startLatch, new Starter());
  }

  private CoreEventLoop(
      GroupState groupState,
      IoPoller poller,
      Transport transport,
      StartLatch startLatch,
      Starter starter) {
    super(groupState, poller, transport, starter);
    this.startLatch = startLatch;
    this.starter = starter;
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
  Thread newThread(Runnable body, ThreadFactory factory) {
    worker = body;
    startThread();
    Runnable command = starter.command;
    if (command == null) {
      throw new IllegalStateException("the worker of this core has been started already");
    }
    starter.command = null;
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
    if (startLatch.awaitStart()) {
      poller().section().bindTo(self);
      body.run();
    }
    cleanupThread = self;
    confirmShutdown(); // or the superclass reports the end as a bug
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    @Nullable Color color = color(); // null while the superclass is being constructed
    if (color != null && super.inEventLoop(thread)) {
      return true;
    }
    // Handles that are bound to the thread are called by the poll.
    return cleanupThread == thread
        || (transport().isBoundToThread() && poller().section().isExecutorThread(thread));
  }

  // ---- Tasks are counted, for gauges

  @Override
  void submitted(LoopTask task) {
    pending.getAndIncrement();
    super.submitted(task);
  }

  @Override
  void begun(LoopTask task) {
    super.begun(task);
    pending.getAndDecrement();
  }

  /** The core's backlog: tasks of this loop, and one for each color that waits for the core. */
  @Override
  public int pendingTasks() {
    return pending.get() + groupState().mely().inspect().colorsWaiting(poller().core());
  }

  /** Receives what the superclass wants to run on a new thread. */
  private static final class Starter implements Executor {
    private @Nullable Runnable command;

    @Override
    public void execute(Runnable newCommand) {
      command = newCommand;
    }
  }
}

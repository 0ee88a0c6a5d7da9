package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely.Timer;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of an event loop that is a color, run in the order that Netty's event loop gives them.
 *
 * <p>An iteration of Netty's loop serves the channels that are ready, moves the scheduled tasks
 * that are due behind the tasks that wait, runs tasks until there are none, those that tasks submit
 * included, and then the tail tasks (for the end of the iteration). Programs rely on it: what
 * {@code channelRead} submits, and what that submits, has run before the next {@code channelRead}.
 *
 * <p>Here tasks, readiness and timers are events of one color, in the order of their arrival; a
 * read that arrives between a task and the task that it submits would run between them. So an event
 * of the kinds that Netty runs <em>between</em> tasks goes to the back of the color's queue as long
 * as tasks wait that the loop has submitted to itself:
 *
 * <pre>
 *   event                       waits for
 *   task                        nothing: order of arrival
 *   tail task                   tasks
 *   timer (scheduled tasks)     tasks, and tail tasks
 *   readiness of a channel      tasks, and tail tasks
 * </pre>
 *
 * <p>Tail tasks run all at one time, with those that they add, as in Netty. Scheduled tasks that
 * are due when a channel has been served become tasks at once, as in Netty. No event waits longer
 * than the quantum that Netty gives to tasks. Tasks from other threads have the order of arrival
 * alone: Netty promises no more, since it may look for I/O before it sees them.
 *
 * <p>The two counters are plain fields of the color, so the order costs no atomic operation.
 */
abstract class ColorTasks extends SingleThreadEventLoop {
  /** No task is scheduled. */
  static final long NO_DEADLINE = -1;

  private final GroupState groupState;
  private final TaskHandler tasks;

  /** Color only: how many tasks that the loop submitted to itself have not begun. */
  private int pendingInside;

  /** Color only: how many {@link TailTask}s have not begun. */
  private int pendingTail;

  /** Color only: the tail tasks; null until there is one. */
  private @Nullable Queue<Runnable> tails;

  /** Color only: tail tasks are running. */
  private boolean runningTails;

  /** Color only; null while no task is scheduled. */
  @Nullable LoopTimer timer;

  /** Set before the loop is handed out. */
  @SuppressWarnings("NullAway.Init")
  private Color color;

  private boolean startingThread;

  /**
   * @param starter where the superclass starts its thread
   */
  ColorTasks(GroupState groupState, Executor starter) {
    this(groupState, starter, new TailTaskQueue());
  }

  private ColorTasks(GroupState groupState, Executor starter, TailTaskQueue tail) {
    super(
        groupState.group(),
        starter,
        true,
        TailTaskQueue.NONE,
        tail,
        RejectedExecutionHandlers.reject());
    this.groupState = groupState;
    this.tasks =
        new TaskHandler(this, HandlerCosts.UNKNOWN.begin(groupState.taskPrior().estimate()));
    tail.bind(this);
  }

  final GroupState groupState() {
    return groupState;
  }

  final Color color() {
    return color;
  }

  final void attach(Color newColor) {
    color = newColor;
  }

  /** The handler of the tasks. */
  TaskHandler taskHandler() {
    return tasks;
  }

  /** The stage of its tasks, where stages are recorded. */
  String stage() {
    return "tasks";
  }

  /**
   * Takes note of what a handler that has this loop as its executor declares.
   *
   * @return false if the loop does not need it: what a channel's own handlers cost is part of its
   *     I/O
   */
  boolean declare(HandlerCosts costs) {
    return false;
  }

  // ---- Events

  /** Registers an event of the loop, in its color. */
  <E> void post(Handler<? super E> handler, E event) {
    groupState.mely().register(color, handler, event);
  }

  /** Registers an event of the loop after a delay. */
  <E> Timer postLater(Handler<? super E> handler, E event, Duration delay) {
    return groupState.mely().schedule(color, handler, event, delay);
  }

  // ---- Tasks

  @Override
  public void execute(Runnable task) {
    Objects.requireNonNull(task, "task");
    boolean takesRoom = groupState.isBounded() && !InternalTasks.contain(task);
    submit(new LoopTask(task, inEventLoop(), takesRoom));
  }

  /** Executes a task of the group itself: never refused for want of room, until the group ends. */
  final void executeAlways(Runnable task) {
    submit(new LoopTask(task, inEventLoop(), false));
  }

  @Override
  public void lazyExecute(Runnable task) {
    execute(task);
  }

  /** Runs an action in the color: now, or as a task. */
  final void inColor(Runnable action) {
    if (inEventLoop()) {
      action.run();
    } else {
      executeAlways(action);
    }
  }

  /**
   * Any thread: adds a tail task, which runs when tasks that wait, and those that they submit, have
   * run.
   */
  final void executeTail(Runnable task) {
    if (!inEventLoop()) {
      execute(() -> executeTail(task));
      return;
    }
    if (tails == null) {
      tails = new ArrayDeque<>();
    }
    tails.add(task);
    if (pendingTail == 0 && !runningTails) {
      submit(new TailTask(this::runTails));
    }
  }

  /** Color only: runs them in order, with those that they add. They do not throw. */
  private void runTails() {
    runningTails = true;
    for (Runnable task = pollTail(); task != null; task = pollTail()) {
      runSafely(task);
    }
    runningTails = false;
  }

  private @Nullable Runnable pollTail() {
    return tails == null ? null : tails.poll();
  }

  private void submit(LoopTask event) {
    submitted(event);
    try {
      post(taskHandler(), event);
    } catch (Throwable t) {
      begun(event);
      throw t;
    }
  }

  /**
   * A task is about to be registered. Only tasks of the loop itself are counted, so in the color.
   */
  void submitted(LoopTask event) {
    if (event.isInside()) {
      count(event, 1);
    }
  }

  /**
   * A task begins, or will never run. Called in the color, or by the thread that rejects its events
   * at the end.
   */
  void begun(LoopTask event) {
    if (event.isInside()) {
      count(event, -1);
    }
  }

  /** A task will never run. Called by the thread that rejects the color's events. */
  final void dropped(LoopTask event) {
    begun(event);
    if (event instanceof TailTask) {
      for (Runnable task = pollTail(); task != null; task = pollTail()) {
        TaskHandler.cancel(task);
      }
    } else {
      TaskHandler.cancel(event.task());
    }
  }

  private void count(LoopTask event, int change) {
    if (event instanceof TailTask) {
      pendingTail += change;
    } else {
      pendingInside += change;
    }
  }

  /** The superclass adds a task here when a scheduled task is cancelled by another thread. */
  @Override
  protected void addTask(Runnable task) {
    if (!startingThread) {
      executeAlways(task);
    }
  }

  /** Color only: runs a task, or sends a tail task to the back of the queue. */
  final void serve(LoopTask event) {
    if (event instanceof TailTask tail) {
      tail.waitsSince = waitFor(pendingInside, tail.waitsSince);
      if (tail.waitsSince != 0 && requeue(taskHandler(), tail)) {
        return;
      }
    }
    begun(event);
    runSafely(event.task());
    LoopTimer.arm(this); // it may have scheduled a task
    groupState.noteActivity();
  }

  /** Logs what the task throws, as every Netty event loop does; what the log throws is dropped. */
  static void runSafely(Runnable task) {
    try {
      safeExecute(task);
    } catch (Throwable t) {
      // What follows the task must not depend on the log.
    }
  }

  // ---- What waits for tasks

  /**
   * Color only: whether I/O, or a timer, has to wait for tasks.
   *
   * @param since what the last call for the same event returned; 0 if it has not waited yet
   * @return 0 if it may run now, else since when it waits
   */
  final long waitForTasks(long since) {
    return waitFor(pendingInside + pendingTail, since);
  }

  private long waitFor(int tasksAhead, long since) {
    if (tasksAhead == 0) {
      return 0;
    }
    long now = ticker().nanoTime();
    if (since == 0) {
      return now | 1; // which is never 0
    }
    return now - since < groupState.settings().taskQuantumNanos() ? since : 0;
  }

  /**
   * Color only: registers the running event again, at the back of the color's queue.
   *
   * @return false if it was refused, because the group ends: it has to run now
   */
  final <E> boolean requeue(Handler<? super E> handler, E event) {
    try {
      post(handler, event);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  // ---- Scheduled tasks. From outside they arrive as tasks, after which the timer is set.

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return armed(super.schedule(command, delay, unit));
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    return armed(super.schedule(callable, delay, unit));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    return armed(super.scheduleAtFixedRate(command, initialDelay, period, unit));
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return armed(super.scheduleWithFixedDelay(command, initialDelay, delay, unit));
  }

  private <F> F armed(F future) {
    if (inEventLoop()) {
      LoopTimer.arm(this);
    }
    return future;
  }

  /** Color only: when the next scheduled task is due, on the ticker's clock; or NO_DEADLINE. */
  final long nextDeadline() {
    return nextScheduledTaskDeadlineNanos();
  }

  /** Color only: the scheduled tasks that are due become tasks. */
  final void fetchScheduledTasks() {
    LoopTimer next = timer; // its deadline is that of the earliest task or before
    if (next == null) {
      return; // the clock is not read
    }
    long now = ticker().nanoTime();
    if (next.isDue(now)) {
      fetchScheduledTasks(now);
    }
  }

  /** Color only: those that are due at a time. */
  final void fetchScheduledTasks(long now) {
    for (Runnable task = pollScheduledTask(now); task != null; task = pollScheduledTask(now)) {
      try {
        executeAlways(task); // it was let in when it was scheduled
      } catch (RejectedExecutionException e) {
        TaskHandler.cancel(task); // the group ends
      } catch (Throwable noMemory) {
        runSafely(task); // it must not be lost, so it runs now, before the tasks that wait
      }
    }
  }

  /** Color only: cancels all scheduled tasks. */
  final void dropScheduledTasks() {
    cancelScheduledTasks();
    LoopTimer.disarm(this);
  }

  /** Whether no channel is left that needs the loop. */
  abstract boolean isVacant();

  // ---- Shutdown

  /** Color only: the loop must be told of a shutdown. */
  final void registerForShutdown() {
    groupState.registerForShutdown(this);
  }

  /** Color only: undoes that, unless the loop has another reason to be told. */
  abstract void deregisterFromShutdown();

  /** Any thread: the group shuts down; the loop is told in its color. */
  abstract void shutDownLater();

  /** Color only: the group shuts down. Called repeatedly until it has. */
  abstract void shutDownNow();

  // ---- The superclass has neither a thread nor tasks

  /**
   * Makes the superclass start its thread, that is, call the executor that it was constructed with.
   */
  final void startThread() {
    startingThread = true;
    super.lazyExecute(() -> {});
    startingThread = false;
  }

  @Override
  protected boolean runAllTasks() {
    return false; // the color runs them
  }

  /** Events that wait for the color, of all kinds: tasks, timers, readiness. */
  @Override
  public int pendingTasks() {
    return color.pending();
  }

  @Override
  protected void wakeup(boolean inEventLoop) {
    // The runtime wakes the core of the color.
  }

  @Override
  protected void run() {
    throw new UnsupportedOperationException("a color has no thread");
  }
}

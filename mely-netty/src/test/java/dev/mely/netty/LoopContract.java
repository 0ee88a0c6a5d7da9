package dev.mely.netty;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What an event loop promises about the order of what it runs: the contract in {@code
 * docs/netty.md}, as an automaton that is shown everything that one program does with one event
 * loop, and says what the contract does not allow.
 *
 * <p>It knows nothing of Mely. Netty's own loop has to pass, too: that is the test of the contract.
 *
 * <p>Thread-safe, because an event loop that is wrong may run two things at once.
 */
final class LoopContract {
  /** What is running, as far as the program can know. */
  enum Context {
    /** A channel is read. */
    READ,
    TASK,
    /** A task for the end of the iteration. */
    TAIL,
    /** A listener or a callback that may run among the tasks or while channels are served. */
    OTHER
  }

  private record Task(String name, Context origin, int end, long number) {
    /** Whether Netty's loop may read a channel first: it may read all that are ready before. */
    boolean mayFollowRead(int readEnd) {
      return origin == Context.OTHER || (origin == Context.READ && end != readEnd);
    }
  }

  private record Timer(
      boolean inside, long number, long earliestStart, long latestStart, long delay) {
    boolean isSurelyBefore(Timer other) {
      return inside
          && other.inside
          && number < other.number
          && latestStart + delay < other.earliestStart + other.delay;
    }
  }

  private final EventLoop loop;

  /** The thread that runs the loop: for all programs that use it. */
  private final AtomicReference<Thread> runner;

  private final List<String> trace = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  /** Tasks that the loop has submitted to itself, in that order. */
  private final Deque<Task> tasks = new ArrayDeque<>();

  /** The same, of tasks for the end of the iteration. */
  private final Deque<Task> tails = new ArrayDeque<>();

  /** Tails of others. */
  private final List<String> outsideTails = new ArrayList<>();

  /** Tasks and user events of another thread, for each such thread. */
  private final Map<String, Deque<String>> outside = new HashMap<>();

  private final Map<String, Timer> timers = new LinkedHashMap<>();
  private long numbers;
  private int depth;
  private Context context = Context.OTHER;
  private int contextEnd;

  /** How many tasks have run. */
  private long taskTurns;

  /** The number of tasks that had run when an end was last read. */
  private final long[] turnOfRead = {-1, -1};

  LoopContract(EventLoop loop, AtomicReference<Thread> runner) {
    this.loop = loop;
    this.runner = runner;
  }

  EventLoop loop() {
    return loop;
  }

  synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  synchronized String trace() {
    return String.join(" ", trace);
  }

  synchronized void note(String what) {
    trace.add(what);
  }

  synchronized void fault(String what) {
    if (faults.size() < 5) {
      faults.add(what);
    }
    trace.add("<<" + what + ">>");
  }

  // ---- What runs

  /**
   * Something begins to run in the loop.
   *
   * @param what if nothing else runs, which this is then a part of
   */
  void enter(Context what, int end, String name) {
    Thread self = Thread.currentThread();
    if (!loop.inEventLoop()) {
      fault("inEventLoop() is false in " + name);
    }
    Thread other = runner.get();
    if (other != self && !runner.compareAndSet(null, self)) {
      fault(name + " runs on " + self + " while " + other + " is in the loop");
    }
    synchronized (this) {
      trace.add(name + "{");
      if (depth++ == 0) {
        context = what;
        contextEnd = end;
        taskTurns += what == Context.TASK || what == Context.TAIL ? 1 : 0;
      }
    }
  }

  synchronized void exit() {
    trace.add("}");
    if (--depth == 0) {
      runner.set(null);
    }
  }

  /** Whether the caller is inside something that has entered. */
  synchronized boolean isInside() {
    return depth > 0 && runner.get() == Thread.currentThread();
  }

  // ---- Tasks

  /**
   * The loop submits a task to itself.
   *
   * @param lasts whether it is one for the end of the iteration
   */
  synchronized void submitted(String name, boolean lasts) {
    trace.add("+" + name);
    (lasts ? tails : tasks).add(new Task(name, context, contextEnd, numbers++));
  }

  /** Another thread submits a task, or fires a user event. Call it before it does. */
  synchronized void submittedBy(String who, String name) {
    outside.computeIfAbsent(who, unused -> new ArrayDeque<>()).add(name);
  }

  synchronized void tailSubmittedFromOutside(String name) {
    outsideTails.add(name);
  }

  /** A task has begun, of the loop itself or of another thread. */
  synchronized void taskRuns(String name) {
    Task first = tasks.peek();
    if (first != null && first.name.equals(name)) {
      tasks.remove();
      return;
    }
    for (Deque<String> ofOne : outside.values()) {
      if (name.equals(ofOne.peek())) {
        ofOne.remove();
        return;
      }
    }
    boolean known = tasks.removeIf(task -> task.name.equals(name));
    for (Deque<String> ofOne : outside.values()) {
      known |= ofOne.remove(name);
    }
    fault(name + (known ? " runs before what was submitted earlier" : " runs unasked"));
  }

  /** A user event of another thread that no handler will see any more. */
  synchronized void forget(String name) {
    outside.values().forEach(ofOne -> ofOne.remove(name));
  }

  synchronized void tailRuns(String name) {
    for (Task task : tasks) {
      if (task.origin != Context.TAIL) {
        fault(name + " runs at the end, before " + task.name);
      }
    }
    if (outsideTails.remove(name)) {
      return;
    }
    Task first = tails.peek();
    if (first != null && first.name.equals(name)) {
      tails.remove();
    } else {
      boolean known = tails.removeIf(task -> task.name.equals(name));
      fault(name + (known ? " runs before an earlier tail" : " runs unasked"));
    }
  }

  // ---- Scheduled tasks

  /**
   * A task has been scheduled.
   *
   * @param start when, at the earliest
   * @param delay nanoseconds
   * @param inside by the loop itself
   */
  synchronized void scheduled(String name, long start, long delay, boolean inside) {
    trace.add("+" + name);
    timers.put(name, new Timer(inside, numbers++, start, System.nanoTime(), delay));
  }

  /** {@code cancel} has returned true. */
  synchronized void cancelled(String name) {
    trace.add("-" + name);
    if (timers.remove(name) == null) {
      fault(name + " was cancelled and has run");
    }
  }

  synchronized void timerRuns(String name) {
    Timer timer = timers.remove(name);
    if (timer == null) {
      fault(name + " runs unasked, or cancelled");
      return;
    }
    long early = timer.delay - (System.nanoTime() - timer.earliestStart);
    if (early > 0) {
      fault(name + " runs " + early + " ns early");
    }
    for (Task task : tasks) {
      if (timer.inside && task.number < timer.number) {
        fault(name + " runs before " + task.name);
      }
    }
    for (Map.Entry<String, Timer> other : timers.entrySet()) {
      if (other.getValue().isSurelyBefore(timer)) {
        fault(name + " runs before " + other.getKey() + ", which was due earlier");
      }
    }
  }

  // ---- Channels

  /**
   * An end is about to be read: it was ready.
   *
   * @param again whether the same look at the channels may find it ready twice: with data, and with
   *     the end of the stream
   */
  synchronized void readBegins(int end, boolean again) {
    boolean sameTurn = again && taskTurns == turnOfRead[end];
    turnOfRead[end] = taskTurns;
    if (sameTurn) {
      return;
    }
    for (Task task : tasks) {
      // What a tail submits runs after the next look at the channels.
      if (task.origin != Context.TAIL && !task.mayFollowRead(end)) {
        fault("read of end " + end + " before " + task.name);
      }
    }
    for (Task task : tails) {
      if (!task.mayFollowRead(end)) {
        fault("read of end " + end + " before " + task.name);
      }
    }
  }

  /** Everything is over: nothing may be left. */
  synchronized void ends() {
    tasks.forEach(task -> fault(task.name + " has not run"));
    tails.forEach(task -> fault(task.name + " has not run"));
    outsideTails.forEach(name -> fault(name + " has not run"));
    timers.keySet().forEach(name -> fault(name + " has not run"));
    for (Deque<String> ofOne : outside.values()) {
      for (Iterator<String> left = ofOne.iterator(); left.hasNext(); ) {
        fault(left.next() + " has not run");
      }
    }
    if (depth != 0) {
      fault("something has not returned");
    }
  }
}

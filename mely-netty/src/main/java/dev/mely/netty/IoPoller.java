package dev.mely.netty;

import dev.mely.jit.OwnCompilation;
import dev.mely.spi.Poller;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Polls one core's {@link IoHandler}; registrations whose channel is ready post themselves to their
 * colors.
 *
 * <p>The transports of channels that move are level-triggered: a channel that is ready and not yet
 * handled is reported by every poll. A registration that has been posted and not yet handled is
 * <em>in flight</em> and drops further reports. That is cheap while its own core is about to run
 * it. But a poll that <em>waits</em> would return at once, and the core would spin. So before such
 * a poll, and only then, what is still in flight is masked (a prototype without masks polled 25
 * times as often). On evenly loaded cores nothing is in flight when a core begins to wait, and
 * nothing is ever masked.
 */
final class IoPoller implements Poller, IoHandlerContext {
  /** How long the events of the last poll may delay the next one that does not wait. */
  private static final long PATIENCE_NANOS = 1_000_000;

  /** Or this long for each of them, see {@link #patience}. */
  private static final long EVENT_PATIENCE_NANOS = 8_000;

  /** Shorter waits keep their exact deadline. */
  private static final long SHARED_DEADLINE_NANOS = 1_000_000;

  /** How long the core sleeps where the I/O handler must not wait. */
  private static final long CLOSING_WAIT_NANOS = 1_000_000;

  /**
   * How often the I/O handler may ask during one wait whether it may block: once before the wait,
   * and before and after each select, so after two selects that return early the wait ends. See
   * {@link #canBlock}.
   */
  private static final int MAX_LOOKS = 4;

  /** Initial capacity of {@link #inFlight}. */
  private static final int INITIAL_CAPACITY = 64;

  /** Longer waits have no deadline. */
  private static final long LONGEST_WAIT_NANOS = Long.MAX_VALUE / 4;

  private final IoHandler io;
  private final PollSection section;
  private final int core;

  /** Set before the first poll. */
  private long minWaitNanos;

  /** The loop whose channels the poll serves itself: of a transport that is bound to its thread. */
  private @Nullable ColorTasks bound;

  // ---- Inside the section

  /**
   * Posted by an earlier poll, perhaps still in flight, not masked. The first {@link #posted}
   * elements; the others are null.
   */
  private @Nullable Readiness[] inFlight = new Readiness[INITIAL_CAPACITY];

  private int posted;
  private boolean initialized;
  private boolean waits;
  private long deadline;
  private long lastPoll;
  private int looks;

  /** See {@link ColorTasks#waitForTasks}. */
  private long waitsSince;

  // ---- Any thread

  /** The next wait is to return at once. Stays set until a poll that may wait has ended. */
  private volatile boolean wakeupWanted;

  /**
   * The I/O handler has been told to close its handles and must not wait any more: io_uring's has
   * closed the descriptor that a wake-up would need.
   */
  private volatile boolean mustNotWait;

  /** The thread inside the section is in a poll that may wait. */
  private volatile boolean waiting;

  /**
   * @param core number of the core
   * @param factory makes the handler, on the calling thread
   */
  IoPoller(int core, IoHandlerFactory factory) {
    this.core = core;
    this.section = new PollSection(factory.isChangingThreadSupported(), this::wakeup);
    this.io = factory.newHandler(section);
  }

  int core() {
    return core;
  }

  IoHandler io() {
    return io;
  }

  PollSection section() {
    return section;
  }

  /**
   * For a transport that is bound to its thread: the poll calls the handles of this loop, and is
   * delayed by the loop's tasks as events of other channels are.
   */
  void bind(ColorTasks loop) {
    bound = loop;
  }

  /** The shortest wait to ask of the I/O handler, see {@link Transport#minWaitNanos}. */
  void minWait(long nanos) {
    minWaitNanos = nanos;
  }

  /** Section: whether the thread inside is the core's worker, not one that polls for it. */
  boolean isPolledByItsWorker() {
    return section.isEnteredByBound();
  }

  // ---- Poller

  @Override
  public void poll(long maxWaitNanos) {
    boolean wait = maxWaitNanos > 0;
    if (wait) {
      section.enter();
    } else if (!section.tryEnter()) {
      return;
    }
    try {
      initialize();
      section.runTasks();
      if (waitsForTasks()) {
        if (wait) {
          giveWay(); // a thief has the entry of the loop's color, until it puts it back
        }
        return;
      }
      if (!wait && isBusy()) {
        return;
      }
      sweep(wait);
      waits = wait && !mustNotWait;
      run(maxWaitNanos);
      if (wait && !waits) {
        waitOutside();
      }
    } finally {
      section.exit();
    }
  }

  /** BlockHound knows its name, and that of the next. */
  private static void giveWay() {
    Thread.yield();
  }

  private static void waitOutside() {
    LockSupport.parkNanos(CLOSING_WAIT_NANOS);
  }

  /**
   * Whether a poll has to wait for tasks of the bound loop. Also one that may wait: a core may
   * think that it has nothing to run while a thief looks at the entry of this loop's color.
   */
  private boolean waitsForTasks() {
    waitsSince = bound == null ? 0 : bound.waitForTasks(waitsSince);
    return waitsSince != 0;
  }

  private void run(long maxWaitNanos) {
    runHandler(maxWaitNanos);
    lastPoll = System.nanoTime();
    if (bound != null) {
      bound.fetchScheduledTasks();
    }
  }

  @OwnCompilation
  private void runHandler(long maxWaitNanos) {
    if (!waits) {
      io.run(this);
      return;
    }
    deadline = deadline(maxWaitNanos);
    // Dekker pattern: volatile, and before canBlock reads wakeupWanted. A waker that sets that
    // field is either seen there, or sees this one and wakes the I/O handler.
    waiting = true;
    looks = 0;
    try {
      io.run(this);
    } finally {
      waiting = false;
      takeWakeup();
    }
    if (looks > MAX_LOOKS) {
      giveWay(); // lets the thread that is closing a channel go on
    }
  }

  /** Whether events of the last poll, which was a moment ago, still wait. */
  private boolean isBusy() {
    return posted != 0
        && inFlight[posted - 1].isInFlight()
        && System.nanoTime() - lastPoll < patience(posted);
  }

  /**
   * How long events that a poll has found may delay the next poll that does not wait, in
   * nanoseconds. That poll would report again all that still wait, and in the end {@linkplain
   * Readiness#claim mask} them. Netty's own loop serves all of them before it polls again.
   */
  static long patience(int found) {
    return Math.max(PATIENCE_NANOS, found * EVENT_PATIENCE_NANOS);
  }

  /** Forgets what has been handled, and masks the rest if the coming poll may wait. */
  private void sweep(boolean mask) {
    int kept = 0;
    int n = posted;
    for (int i = 0; i < n; i++) {
      Readiness readiness = inFlight[i];
      if (readiness.isInFlight()) {
        if (mask) {
          readiness.mask();
        } else {
          inFlight[kept++] = readiness;
        }
      }
    }
    posted = kept;
    for (int i = kept; i < n; i++) {
      inFlight[i] = null;
    }
  }

  /** Section: a registration is posted to its color. */
  void posted(Readiness readiness) {
    if (posted == inFlight.length) {
      inFlight = Arrays.copyOf(inFlight, 2 * posted);
    }
    inFlight[posted++] = readiness;
  }

  /** Clears the wish for a short wait. */
  private void takeWakeup() {
    // The volatile read makes visible what the waker wrote before. A wish that comes between the
    // two lines is honored too: the caller looks at its queues after each poll.
    if (wakeupWanted) {
      wakeupWanted = false;
    }
  }

  @Override
  public void wakeup() {
    if (waiting && section.isExecutorThread(Thread.currentThread())) {
      return; // a poll that waits and posts to its own core returns anyway
    }
    wakeupWanted = true;
    if (waiting) {
      io.wakeup();
    }
  }

  /** Any thread: a change in the I/O handler is to take effect now, not after the wait. */
  void wakeIfWaiting() {
    if (waiting) {
      wakeup();
    }
  }

  @Override
  public boolean isTransferable() {
    return section.isTransferable();
  }

  @Override
  public void close() {
    if (section.isClosed()) {
      return;
    }
    section.bindIfUnbound(Thread.currentThread()); // the worker's thread was never started
    section.enter();
    try {
      section.close();
      io.destroy();
    } finally {
      section.exit();
    }
  }

  /**
   * Whether the I/O handler is destroyed: the kernel may have given its descriptors' numbers to
   * others.
   */
  boolean isClosed() {
    return section.isClosed();
  }

  /** Any thread: closes all registered handles, each in its own color. */
  void closeHandles() {
    if (!section.isTransferable()) {
      mustNotWait = true;
    }
    section.execute(io::prepareToDestroy);
  }

  private void initialize() {
    if (!initialized) {
      initialized = true;
      io.initialize();
    }
  }

  // ---- IoHandlerContext, inside the section

  /**
   * A selector returns early, repeatedly, while another thread is closing a channel that is ready:
   * between the change of the channel's state and the cancellation of its key, epoll reports a key
   * of which nothing is ready. In Netty's own group the thread that selects is the one that closes.
   * Here a color closes its channel on any thread. If that thread loses its CPU at this point,
   * NIO's handler counts 512 early returns and builds a new selector, while colors may be changing
   * the interest of the old one's keys; those changes would be lost. So a wait that was cut short
   * twice ends.
   */
  @Override
  public boolean canBlock() {
    return waits && !wakeupWanted && !section.hasTasks() && ++looks <= MAX_LOOKS;
  }

  @Override
  public long delayNanos(long currentTimeNanos) {
    if (!waits) {
      return 0;
    }
    return deadline == -1 ? Long.MAX_VALUE : Math.max(minWaitNanos, deadline - currentTimeNanos);
  }

  @Override
  public long deadlineNanos() {
    return deadline;
  }

  /**
   * The absolute deadline of a wait, -1 for none. Idle workers wait for a few milliseconds over and
   * over. Deadlines are rounded up to a grid of at most an eighth of the wait, so that most of them
   * coincide and epoll need not arm its timer again.
   */
  static long deadline(long maxWaitNanos) {
    if (maxWaitNanos > LONGEST_WAIT_NANOS) {
      return -1;
    }
    long at = System.nanoTime() + maxWaitNanos;
    if (maxWaitNanos < SHARED_DEADLINE_NANOS) {
      return at;
    }
    long grid = Long.highestOneBit(maxWaitNanos) >> 3;
    return (at + grid - 1) & -grid;
  }
}

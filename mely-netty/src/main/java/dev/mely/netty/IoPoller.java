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
 * One core's source of I/O events: polls the core's {@link IoHandler}, whose registrations answer
 * by posting themselves to their colors.
 *
 * <p>All transports that take part are level-triggered: what is ready and not yet handled is
 * reported by every poll. A registration that has been posted and not yet handled is <em>in
 * flight</em> and ignores further reports. That costs nothing while its own core works it off. It
 * would turn a poll that <em>waits</em> into a spin, though, so before such a poll, and only then,
 * what is still in flight is masked (a prototype without masks polled 25 times as often). On an
 * evenly loaded core nothing is in flight when the core gets to wait, and nothing is ever masked.
 */
final class IoPoller implements Poller, IoHandlerContext {
  /** How long a poll may be put off while the last one's events are still being worked off. */
  private static final long PATIENCE_NANOS = 1_000_000;

  /** Or so long for each of them, see {@link #patience}. */
  private static final long EVENT_PATIENCE_NANOS = 8_000;

  /** Shorter waits keep their exact deadline. */
  private static final long SHARED_DEADLINE_NANOS = 1_000_000;

  /** Where the handler must not wait, the core sleeps that long instead. */
  private static final long CLOSING_WAIT_NANOS = 1_000_000;

  /**
   * How often a handler may ask in one wait whether it may block. Once before the wait, and before
   * and after each select: two selects that end early are enough. See {@link #canBlock}.
   */
  private static final int MAX_LOOKS = 4;

  /** Room for what is in flight, to begin with. */
  private static final int FEW = 64;

  /** Longer waits count as endless. */
  private static final long LONGEST_WAIT_NANOS = Long.MAX_VALUE / 4;

  private final IoHandler io;
  private final PollSection section;
  private final int core;

  /** Set before the first poll. */
  private long minWaitNanos;

  /** Whose channels the poll itself serves: of a transport that is bound to its thread. */
  private @Nullable ColorTasks bound;

  // ---- Inside the section

  /** The first {@link #posted}: posted by an earlier poll, perhaps still in flight, not masked. */
  private @Nullable Readiness[] inFlight = new Readiness[FEW];

  private int posted;
  private boolean initialized;
  private boolean waits;
  private long deadline;
  private long lastPoll;
  private int looks;

  /** See {@link ColorTasks#waitForTasks}. */
  private long waitsSince;

  // ---- Any thread

  /** The next wait shall be short. Sticky; taken back by the poll that honors it. */
  private volatile boolean wakeupWanted;

  /**
   * The handles are being closed, by a handler that does not expect to wait from then on: io_uring
   * gives up what it is woken by.
   */
  private volatile boolean mustNotWait;

  /** The holder of the section is in a poll that may wait. */
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
   * The transport is bound to its thread: the poll calls the handles of this loop, and waits for
   * the loop's tasks as the events of other channels do.
   */
  void bind(ColorTasks loop) {
    bound = loop;
  }

  /** The shortest wait to ask of the handler, see {@link Transport#minWaitNanos}. */
  void minWait(long nanos) {
    minWaitNanos = nanos;
  }

  /** Inside the section: whether that is the core's worker, and no thread in its place. */
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
      if (!wait && (isBusy() || waitsForTasks())) {
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

  private static void waitOutside() {
    LockSupport.parkNanos(CLOSING_WAIT_NANOS);
  }

  /** A core that waits has no tasks, so a poll that may wait never has to. */
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
    // Volatile, before canBlock looks at wakeupWanted: a waker that sets that either is seen there
    // or sees this and wakes the handler (Dekker pattern).
    waiting = true;
    looks = 0;
    try {
      io.run(this);
    } finally {
      waiting = false;
      takeWakeup();
    }
    if (looks > MAX_LOOKS) {
      Thread.yield(); // to the thread that closes a channel
    }
  }

  /** The events of the last poll are still being worked off, and it was a moment ago. */
  private boolean isBusy() {
    return posted != 0
        && inFlight[posted - 1].isInFlight()
        && System.nanoTime() - lastPoll < patience(posted);
  }

  /**
   * How long this number of events may keep the core from a poll that does not wait, in
   * nanoseconds. The poll would report again all of them that still wait, and in the end
   * {@linkplain Readiness#claim mask} them. Netty's own loop serves all before it polls again.
   */
  static long patience(int found) {
    return Math.max(PATIENCE_NANOS, found * EVENT_PATIENCE_NANOS);
  }

  /** Forgets what has been handled, and masks the rest if the coming poll waits. */
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

  /** Inside the section: a registration has been posted to its color. */
  void posted(Readiness readiness) {
    if (posted == inFlight.length) {
      inFlight = Arrays.copyOf(inFlight, 2 * posted);
    }
    inFlight[posted++] = readiness;
  }

  /** Takes the wish back; atomic, so that what was published before it is visible afterwards. */
  private void takeWakeup() {
    // A volatile read orders what the waker published before its store; a wish that comes between
    // the two lines is honored as well, because the caller looks around after each poll.
    if (wakeupWanted) {
      wakeupWanted = false;
    }
  }

  @Override
  public void wakeup() {
    if (waiting && section.isExecutorThread(Thread.currentThread())) {
      return; // a poll that waits, and posts to its own core, is about to return anyway
    }
    wakeupWanted = true;
    if (waiting) {
      io.wakeup();
    }
  }

  /** Any thread: what it has changed in the handler takes effect with the next poll. */
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
    section.bindIfUnbound(Thread.currentThread()); // whose thread was never started
    section.enter();
    try {
      section.close();
      io.destroy();
    } finally {
      section.exit();
    }
  }

  /** Whether the handler is gone: its descriptors' numbers may be used again by now. */
  boolean isClosed() {
    return section.isClosed();
  }

  /** Closes all that is registered: each handle is told in its own color. Any thread. */
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
   * A selector returns early, and again and again, as long as a channel that is ready is being
   * closed by another thread: between the change of the channel's state and the cancellation of its
   * key, nothing is ready of a key that epoll reports. In Netty's own group the thread that selects
   * is the one that closes. Here a color closes its channel wherever it runs, and if its thread
   * loses its CPU at that point, the handler counts 512 early returns and builds a new selector,
   * while colors may be changing the interest of the old one's keys: what they change would be
   * lost. So a wait that has ended early twice ends.
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
   * over. Their deadlines are rounded up to a grid of an eighth of the wait or less, so that most
   * of them coincide and epoll need not arm its timer again.
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

package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Mely;
import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A channel's I/O registration, seen from both sides: towards the {@link
 * io.netty.channel.IoHandler} it is the {@link IoHandle} that hears of readiness, towards the
 * channel it is the {@link IoRegistration}. In between it is the event that carries readiness into
 * the channel's color, one object for the life of the registration.
 *
 * <h2>State</h2>
 *
 * <pre>
 *              reported: post to the color
 *     IDLE ----------------------------------> IN_FLIGHT --+
 *      ^ ^            (section)                 |          | about to wait: mask
 *      | |                                      |          | (section, monitor)
 *      | +--- handled (color) ------------------+          v
 *      +----- handled: re-arm (color, monitor) --------- MASKED
 * </pre>
 *
 * <p>Only the poll section leaves IDLE, only the color enters it. Readiness that is reported while
 * the registration is not IDLE is dropped: the transports are level-triggered and report it again.
 * So the handler of an unmasked channel takes one uncontended compare-and-set, no lock and no
 * system call. Masking and re-arming exclude each other through the monitor, else a late mask could
 * undo the re-arming and the channel would sleep for good.
 *
 * <p>What the channel wants to hear of ({@link #submit}) is remembered while MASKED and submitted
 * when it is re-armed. A submission that overtakes a mask unmasks early, which costs a dropped
 * report, nothing else.
 *
 * <p>The channel's side is confined to the color; the handler's side to the poll section.
 */
@SuppressWarnings("UnusedVariable") // fields that are touched through their VarHandles alone
abstract class Registration extends Event implements Served, IoHandle, IoEvent {
  private static final int IDLE = 0;
  private static final int IN_FLIGHT = 1;
  private static final int MASKED = 2;

  /** Reports that a registration in flight may drop before it is masked in a poll without wait. */
  private static final int MAX_DROPPED = 2;

  private static final VarHandle STATE;
  private static final VarHandle CANCELLED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Registration.class, "state", int.class);
      CANCELLED = lookup.findVarHandle(Registration.class, "cancelled", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final ColorEventLoop loop;
  private final IoHandle handle;
  private final Siblings siblings;

  /** The handler's own registration. Set once, inside the section, before anything is submitted. */
  @SuppressWarnings("NullAway.Init")
  private IoRegistration target;

  private int state;
  private boolean cancelled;

  /** Section only; no more than {@link #MAX_DROPPED}. */
  private byte dropped;

  /** The channel has been told to close. Set in the section, taken back by the color. */
  private volatile boolean closing;

  /** Color only: how often the channel was served. */
  private int runs;

  /** What the scheduler knows of this channel's work. Written by the color, read by the section. */
  private volatile ReadyHandler ready;

  /**
   * @param loop the color
   * @param handle the channel's handle
   * @param channel the channel, if it is known
   */
  Registration(ColorEventLoop loop, IoHandle handle, @Nullable Channel channel) {
    this.loop = loop;
    this.handle = handle;
    Families families = loop.engine().families();
    this.siblings = channel == null ? families.ofClass(handle.getClass()) : families.of(channel);
    this.ready =
        new ReadyHandler(
            siblings.declared(), siblings.estimate(), channel == null ? handle : channel);
  }

  @Override
  public final @Nullable Channel channel() {
    return ready.channel() instanceof Channel c ? c : null;
  }

  final IoPoller poller() {
    return loop.poller();
  }

  final IoHandle handle() {
    return handle;
  }

  // ---- What transports differ in

  /** The channel wants to hear of something. Otherwise there is nothing to mask. */
  abstract boolean isInterested();

  /** Tells the handler to report nothing. Monitor held. */
  abstract void submitMask();

  /** Tells the handler what the channel wants to hear of now. Monitor held. */
  abstract void submitInterest();

  /** The handle is cancelled; the handler's registration has been told. */
  abstract void afterCancel();

  // ---- Section

  /** Enters the handler. */
  final void bind(IoRegistration registration) {
    target = registration;
  }

  final IoRegistration target() {
    return target;
  }

  /**
   * The handler reports readiness. True: the registration is now in flight; the caller notes what
   * is ready and then calls {@link #post}.
   */
  final boolean claim() {
    int s = (int) STATE.getAcquire(this);
    if (s == IDLE) {
      dropped = 0;
      STATE.setOpaque(this, IN_FLIGHT);
      return true;
    }
    if (s == IN_FLIGHT && ++dropped >= MAX_DROPPED) {
      mask(); // long in its queue: no use hearing of it with every poll
    }
    return false;
  }

  /** Posts the event to the color. */
  final void post() {
    IoPoller poller = poller();
    poller.posted(this);
    Mely mely = loop.engine().mely();
    Color color = loop.color();
    if (color.core() != poller.core()) {
      // Whoever stole the color has worked it off. It starts from where its registration is, so
      // that an even load stays spread as it was and costs no wake-up across cores.
      color.moveTo(poller.core());
    }
    try {
      mely.register(color, ready, this);
    } catch (RejectedExecutionException e) {
      // The group has terminated. Left in flight, the channel will not be reported for ever.
    }
  }

  final boolean isInFlight() {
    return (int) STATE.getAcquire(this) == IN_FLIGHT;
  }

  /** Tells the handler to keep quiet until the event has been handled. */
  final void mask() {
    synchronized (this) {
      if (!isInterested() || !STATE.compareAndSet(this, IN_FLIGHT, MASKED)) {
        return;
      }
      try {
        submitMask();
      } catch (RuntimeException e) {
        // The channel is being closed by its color at this moment.
      }
    }
  }

  // ---- Color

  /** Serves the channel. */
  final void run() {
    int n = ++runs;
    if ((n & (n - 1)) != 0) {
      serve();
      return;
    }
    // 1st, 2nd, 4th, 8th time: pipelines change early, if at all.
    learnCosts();
    long start = System.nanoTime();
    serve();
    siblings.note(System.nanoTime() - start);
  }

  private void serve() {
    try {
      if (!isCancelled()) {
        handle.handle(this, this);
      }
    } finally {
      handled();
    }
  }

  /** The channel has been served, or cannot be now: what is ready then is reported again. */
  final void handled() {
    if (!STATE.compareAndSet(this, IN_FLIGHT, IDLE)) {
      rearm();
    }
  }

  private void rearm() {
    synchronized (this) {
      STATE.setRelease(this, IDLE);
      if (isCancelled() || poller().isClosed()) {
        return;
      }
      try {
        submitInterest();
      } catch (RuntimeException e) {
        if (isValid()) {
          throw e;
        }
      }
    }
  }

  private void learnCosts() {
    Channel channel = channel();
    if (channel != null) {
      HandlerCosts declared = HandlerCosts.of(channel.pipeline());
      if (!declared.equals(ready.declared())) {
        siblings.declare(declared);
        ready = new ReadyHandler(declared, siblings.estimate(), channel);
      }
    }
  }

  /** Whether a submission must wait until the event has been handled. */
  final boolean isMasked() {
    return (int) STATE.getAcquire(this) == MASKED;
  }

  final boolean isCancelled() {
    return (boolean) CANCELLED.getAcquire(this);
  }

  @Override
  public final boolean isValid() {
    return !isCancelled() && !poller().isClosed() && target.isValid();
  }

  @Override
  public final boolean cancel() {
    if ((boolean) CANCELLED.getAndSet(this, true)) {
      return false;
    }
    // At once and not in the section: a channel closes its descriptor next, and from then on the
    // handler must not touch a number that may be somebody else's. Both handlers allow it: epoll
    // forwards the rest to the section, and what NIO counts without a lock is a statistic.
    if (!poller().isClosed()) {
      target.cancel();
    }
    afterCancel();
    loop.unregistered(this);
    handle.unregistered();
    return true;
  }

  /** What the scheduler knows, for tests and statistics. */
  final ReadyHandler readyHandler() {
    return ready;
  }

  // ---- IoHandle: called by the handler, inside the section

  @Override
  public final void registered() {
    // The channel is told in its color, see ColorEventLoop.
  }

  @Override
  public final void unregistered() {
    // The channel has been told by cancel, or will be told by its own close.
  }

  /** The handler shuts down, or has found the registration invalid: the channel is to close. */
  @Override
  public final void close() {
    // Said again and again while the group shuts down; a color that is stuck need not hear it
    // twice.
    if (!isCancelled() && !closing) {
      closing = true;
      loop.execute(this::closeHandle);
    }
  }

  private void closeHandle() {
    closing = false;
    try {
      handle.close();
    } catch (Exception e) {
      throw new IllegalStateException("closing " + handle + " failed", e);
    }
  }
}

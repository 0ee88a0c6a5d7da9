package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Mely;
import dev.mely.jit.OwnCompilation;
import dev.mely.netty.memory.WorkingSet;
import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.ServerChannel;
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
 * <p>The channel's side is confined to the color; the handler's side to the poll section.
 */
@SuppressWarnings("UnusedVariable") // a field that is touched through its VarHandle alone
abstract class Registration extends Event implements Served, Readiness.Source, IoHandle, IoEvent {
  private static final VarHandle CANCELLED;

  static {
    try {
      CANCELLED =
          MethodHandles.lookup().findVarHandle(Registration.class, "cancelled", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Mask: how often a channel is served before its pipeline is looked at again. */
  private static final int LOOKS = 255;

  final ColorChannels loop;

  /** Whether this event is under way. */
  final Readiness readiness = new Readiness(this);

  private final IoHandle handle;

  /** Whether reads may go on; null: always. */
  private final @Nullable Reads reads;

  /** The handler's own registration. Set once, inside the section, before anything is submitted. */
  @SuppressWarnings("NullAway.Init")
  private IoRegistration target;

  private boolean cancelled;

  /** The channel has been told to close. Set in the section, taken back by the color. */
  private volatile boolean closing;

  /** Color only: how often the channel was served. */
  private int runs;

  /** Color only: see {@link ColorTasks#waitForTasks}. */
  private long waitsSince;

  /** What the scheduler knows of this channel's work. Written by the color, read by the section. */
  private volatile ReadyHandler ready;

  /**
   * @param loop the color
   * @param handle the channel's handle
   * @param channel the channel, if it is known
   */
  Registration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    super(false); // takes no room among the pending events: it is one for each channel
    this.loop = loop;
    this.handle = handle;
    this.reads = reads(channel);
    Siblings siblings = siblings(channel);
    this.ready =
        new ReadyHandler(
            siblings.declared(), siblings.estimate(), channel == null ? handle : channel);
  }

  /**
   * Looked up whenever they are asked for: that is rare, and a field would be one of each channel.
   */
  private Siblings siblings(@Nullable Channel channel) {
    Families families = loop.engine().families();
    return channel == null ? families.ofClass(handle.getClass()) : families.of(channel);
  }

  /**
   * To accept takes no memory worth mentioning, and of handles without a channel nothing is known.
   */
  private @Nullable Reads reads(@Nullable Channel channel) {
    WorkingSet workingSet = loop.engine().workingSet();
    return workingSet == null || channel == null || channel instanceof ServerChannel
        ? null
        : new Reads(workingSet, this, channel);
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

  /** The handle is cancelled; the handler's registration has been told. */
  abstract void afterCancel();

  /**
   * Color only: whether the channel still wants to hear of what has been reported. A task may have
   * ended its interest since: Netty's loop would not have looked at the channel any more.
   */
  abstract boolean isWanted();

  /** Color only: whether what has been reported, and is wanted, is a read that could wait. */
  abstract boolean isRead();

  /** Color only: whether the channel wants to read, put off or not. */
  abstract boolean wantsReads();

  /** Whether the channel's interest in reads does not count for now. */
  final boolean areReadsPutOff() {
    return reads != null && reads.isPutOff();
  }

  // ---- Section

  @Override
  public final void enter(IoHandler io) throws Exception {
    target = io.register(this);
  }

  final IoRegistration target() {
    return target;
  }

  /**
   * Posts the event to the color. Not compiled into the handler's loop over what is ready, nor into
   * what lies between.
   */
  @OwnCompilation
  final void post() {
    IoPoller poller = poller();
    Mely mely = loop.engine().mely();
    Color color = loop.color();
    try {
      poller.posted(readiness);
      if (color.core() != poller.core() && poller.isPolledByItsWorker()) {
        // The thief that stole the color has worked it off. It starts from where its registration
        // is, so that an even load stays spread as it was and costs no wake-up across cores. A
        // thread that polls in the worker's place leaves it where it is: this core is stuck.
        color.moveTo(poller.core());
      }
      mely.register(color, ready, this);
    } catch (RejectedExecutionException e) {
      if (!loop.isShutdown()) {
        readiness.handled();
      } // else left in flight, so that the channel is not reported for ever
    } catch (Throwable t) {
      if (!isPending()) {
        readiness.handled(); // or it would be in flight for ever, and never be reported again
      }
      throw t;
    }
  }

  // ---- Color

  @Override
  public final void entered() {
    try {
      handle.registered();
    } catch (Throwable t) {
      cancel();
      throw t;
    }
  }

  /** Serves the channel, when the tasks of its event loop have run. */
  final void run() {
    waitsSince = isCancelled() ? 0 : loop.waitForTasks(waitsSince);
    if (waitsSince != 0 && loop.stepBehind(ready, this)) {
      return;
    }
    waitsSince = 0;
    int n = ++runs;
    if ((n & (n - 1)) != 0 && (n & LOOKS) != 0) {
      serve();
      return;
    }
    // 1st, 2nd, 4th, 8th time: pipelines change early, if at all.
    try {
      learnPipeline();
    } finally {
      long start = System.nanoTime();
      serve();
      long nanos = System.nanoTime() - start;
      siblings(channel()).note(nanos);
    }
  }

  /** What a channel does is not compiled into each of the methods on the way to it. */
  @OwnCompilation
  private void serve() {
    try {
      if (!isCancelled() && isWanted() && isAdmitted()) {
        handle.handle(this, this);
        if (reads != null) {
          reads.hasRead();
        }
      }
    } finally {
      readiness.handled();
      loop.fetchScheduledTasks();
    }
  }

  /** Puts off the read that is ready if it has to wait. True: there is something to serve. */
  private boolean isAdmitted() {
    if (reads == null || !isRead() || reads.mayGoOn()) {
      return true;
    }
    reads.putOff();
    return isWanted();
  }

  @Override
  public final boolean isOver() {
    return isCancelled() || poller().isClosed();
  }

  /** Color only: what counts of the channel's interest has changed. */
  final void submitInterestNow() {
    if (isValid() && !readiness.isMasked()) {
      submitInterest();
    }
  }

  private void learnPipeline() {
    Channel channel = channel();
    if (channel != null) {
      IgnoredColors.look(channel);
      HandlerCosts declared = PipelineCosts.of(channel.pipeline());
      if (!declared.equals(ready.declared())) {
        Siblings siblings = siblings(channel);
        siblings.declare(declared);
        ready = new ReadyHandler(declared, siblings.estimate(), channel);
      }
    }
  }

  final boolean isCancelled() {
    return (boolean) CANCELLED.getAcquire(this);
  }

  @Override
  public final boolean isValid() {
    return !isOver() && target.isValid();
  }

  @Override
  public final boolean cancel() {
    if ((boolean) CANCELLED.getAndSet(this, true)) {
      return false;
    }
    // At once and not in the section: a channel closes its descriptor next, and from then on the
    // handler must not touch a number that may be somebody else's. Both handlers allow it: epoll
    // forwards the rest to the section, and what NIO counts without a lock is a statistic.
    try {
      if (!poller().isClosed()) {
        target.cancel();
      }
      afterCancel();
    } finally { // whatever the handler throws: the loop must not wait for this one for ever
      loop.unregistered(this);
      handle.unregistered();
    }
    return true;
  }

  /** What the scheduler knows, for tests and statistics. */
  final ReadyHandler readyHandler() {
    return ready;
  }

  // ---- IoHandle: called by the handler, inside the section

  @Override
  public final void registered() {
    // The channel is told in its color, see entered.
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
      try {
        loop.executeAlways(this::closeHandle);
      } catch (RejectedExecutionException e) {
        closing = false; // the group has terminated
      } catch (Throwable t) {
        closing = false; // it may be said again
        throw t;
      }
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

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
 * The registration of a channel that moves between cores. One object is three things: the {@link
 * IoHandle} that Netty's {@link io.netty.channel.IoHandler} tells of readiness, the {@link
 * IoRegistration} through which the channel changes its interest, and the event that carries
 * readiness into the channel's color.
 *
 * <p>The package's description has the steps. The channel's side is confined to the color, the I/O
 * handler's side to the section.
 */
@SuppressWarnings("UnusedVariable") // a field that is touched through its VarHandle alone
abstract class Registration extends Event
    implements LoopRegistration, Readiness.Source, IoHandle, IoEvent {
  private static final VarHandle CANCELLED;

  static {
    try {
      CANCELLED =
          MethodHandles.lookup().findVarHandle(Registration.class, "cancelled", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Mask: the pipeline is looked at again each 256th time that the channel is served. */
  private static final int PIPELINE_LOOK_MASK = 255;

  final ColorChannels loop;

  /** Whether this event is on its way to the color. */
  final Readiness readiness = new Readiness(this);

  private final IoHandle handle;

  /** Delays reads while the core has too many live buffers; null: never. */
  private final @Nullable ReadBackPressure backPressure;

  /** The I/O handler's own registration. Set once, in the section, before the first submission. */
  @SuppressWarnings("NullAway.Init")
  private IoRegistration target;

  private boolean cancelled;

  /** A task that closes the channel is pending. Set in the section, cleared by the color. */
  private volatile boolean closing;

  /** Color only: how often the channel was served. */
  private int runs;

  /** Color only: see {@link ColorTasks#waitForTasks}. */
  private long waitsSince;

  /** The cost and penalty of this channel's work. Written by the color, read by the section. */
  private volatile ReadyHandler ready;

  /**
   * @param loop the color
   * @param handle the channel's handle
   * @param channel the channel, if it is known
   */
  Registration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    super(false); // not counted against the bound on pending events: one for each channel
    this.loop = loop;
    this.handle = handle;
    this.backPressure = newBackPressure(channel);
    CostPrior prior = costPrior(channel);
    this.ready =
        new ReadyHandler(prior.declared(), prior.estimate(), channel == null ? handle : channel);
  }

  /** Looked up each time: that is rare, and a field would take memory in each channel. */
  private CostPrior costPrior(@Nullable Channel channel) {
    CostPriors costPriors = loop.groupState().costPriors();
    return channel == null ? costPriors.ofClass(handle.getClass()) : costPriors.of(channel);
  }

  /** None for server channels, which read no bytes, nor for handles whose channel is not known. */
  private @Nullable ReadBackPressure newBackPressure(@Nullable Channel channel) {
    WorkingSet workingSet = loop.groupState().workingSet();
    return workingSet == null || channel == null || channel instanceof ServerChannel
        ? null
        : new ReadBackPressure(workingSet, this, channel);
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

  /** Called by {@link #cancel} when the I/O handler's registration has been cancelled. */
  abstract void afterCancel();

  /**
   * Color only: whether the channel still wants to hear of what has been reported. A task may have
   * ended its interest since: Netty's own loop would not have looked at the channel any more.
   */
  abstract boolean isWanted();

  /** Color only: whether what has been reported, and is wanted, is a read that may be delayed. */
  abstract boolean isRead();

  /** Color only: whether the channel is interested in reads, delayed or not. */
  abstract boolean wantsReads();

  /** Whether reads are delayed: the I/O handler is not told of the channel's interest in them. */
  final boolean areReadsPutOff() {
    return backPressure != null && backPressure.isPutOff();
  }

  // ---- Section

  @Override
  public final void registerWith(IoHandler io) throws Exception {
    target = io.register(this);
  }

  final IoRegistration target() {
    return target;
  }

  /**
   * Posts the event to the color. Compiled by itself, and inlined neither into the I/O handler's
   * loop over ready channels nor into the methods in between.
   */
  @OwnCompilation
  final void post() {
    IoPoller poller = poller();
    Mely mely = loop.groupState().mely();
    Color color = loop.color();
    try {
      poller.posted(readiness);
      if (color.core() != poller.core() && poller.isPolledByItsWorker()) {
        // The thief that stole the color has run all events of the color. The next one starts at
        // the home
        // core, so that an even load stays spread and no core has to wake another. If another
        // thread polls for a stuck core, the color stays where it is.
        color.moveTo(poller.core());
      }
      mely.register(color, ready, this);
    } catch (RejectedExecutionException e) {
      if (!loop.isShutdown()) {
        readiness.handled();
      } // else it stays in flight: the color will not run again, and reports are dropped
    } catch (Throwable t) {
      if (!isPending()) {
        readiness.handled(); // or it would stay in flight, and all later reports would be dropped
      }
      throw t;
    }
  }

  // ---- Color

  @Override
  public final void afterRegister() {
    try {
      handle.registered();
    } catch (Throwable t) {
      cancel();
      throw t;
    }
  }

  /** Serves the channel once the tasks of its event loop that come first have run. */
  final void run() {
    waitsSince = isCancelled() ? 0 : loop.waitForTasks(waitsSince);
    if (waitsSince != 0 && loop.requeue(ready, this)) {
      return;
    }
    waitsSince = 0;
    int n = ++runs;
    if ((n & (n - 1)) != 0 && (n & PIPELINE_LOOK_MASK) != 0) {
      serve();
      return;
    }
    // The 1st, 2nd, 4th, 8th ... time: if a pipeline changes, then mostly early.
    try {
      learnPipeline();
    } finally {
      long start = System.nanoTime();
      serve();
      long nanos = System.nanoTime() - start;
      costPrior(channel()).note(nanos);
    }
  }

  /** The channel's code is compiled by itself, not inlined into each method that leads here. */
  @OwnCompilation
  private void serve() {
    try {
      if (!isCancelled() && isWanted() && isAdmitted()) {
        handle.handle(this, this);
        if (backPressure != null) {
          backPressure.afterRead();
        }
      }
    } finally {
      readiness.handled();
      loop.fetchScheduledTasks();
    }
  }

  /** Whether there is something to serve. Delays a read for which the core has no memory. */
  private boolean isAdmitted() {
    if (backPressure == null || !isRead() || backPressure.mayRead()) {
      return true;
    }
    backPressure.putOff();
    return isWanted();
  }

  @Override
  public final boolean isOver() {
    return isCancelled() || poller().isClosed();
  }

  /** Color only: reads have been delayed, or are not any more: tells the I/O handler. */
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
        CostPrior prior = costPrior(channel);
        prior.declare(declared);
        ready = new ReadyHandler(declared, prior.estimate(), channel);
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
    // At once, not in the section: the channel closes its descriptor next, and the kernel may give
    // the same number to another channel. Both I/O handlers allow this: epoll's forwards the rest
    // to the section, and what NIO's counts without a lock is a statistic.
    try {
      if (!poller().isClosed()) {
        target.cancel();
      }
      afterCancel();
    } finally { // else a failing I/O handler would leave the loop waiting for this registration
      loop.unregistered(this);
      handle.unregistered();
    }
    return true;
  }

  /** For tests. */
  final ReadyHandler readyHandler() {
    return ready;
  }

  // ---- IoHandle: called by the handler, inside the section

  @Override
  public final void registered() {
    // The channel is told in its color, by afterRegister.
  }

  @Override
  public final void unregistered() {
    // The channel has been told by cancel, or will be told by its own close.
  }

  /**
   * The I/O handler shuts down, or the registration is invalid: closes the channel, in its color.
   */
  @Override
  public final void close() {
    // Called repeatedly while the group shuts down; a stuck color gets one task, not one each time.
    if (!isCancelled() && !closing) {
      closing = true;
      try {
        loop.executeAlways(this::closeHandle);
      } catch (RejectedExecutionException e) {
        closing = false; // the group has terminated
      } catch (Throwable t) {
        closing = false; // the next call tries again
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

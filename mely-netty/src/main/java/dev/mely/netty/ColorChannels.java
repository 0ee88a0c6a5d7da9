package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.socket.DatagramChannel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The channels that are registered with an event loop, and the I/O handler that has them.
 *
 * <p>Thread-safe, except for what is marked as belonging to the color.
 */
abstract class ColorChannels extends ColorTasks {
  /** What a datagram channel adds to {@link #registrations}; any other channel adds 1. */
  private static final long DATAGRAM = 1L << 32;

  private static final VarHandle REGISTRATIONS;

  static {
    try {
      REGISTRATIONS =
          MethodHandles.lookup().findVarHandle(ColorChannels.class, "registrations", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final IoPoller poller;

  /**
   * How many channels are registered: datagram channels in the upper half, others in the lower.
   * Atomic add; volatile read, by any thread.
   */
  @SuppressWarnings("UnusedVariable") // touched through its VarHandle alone
  private long registrations;

  /** Color only: the registrations, see {@link LoopRegistration}. */
  private @Nullable Object loopRegistrations;

  /**
   * @param poller of the home core
   * @param starter where the superclass starts its thread
   */
  ColorChannels(GroupState groupState, IoPoller poller, Executor starter) {
    super(groupState, starter);
    this.poller = poller;
  }

  final IoPoller poller() {
    return poller;
  }

  /** Color only: a registration was made. */
  final void registered(LoopRegistration registration) {
    loopRegistrations =
        LoopRegistration.with(loopRegistrations, registration); // first: may run out of memory
    REGISTRATIONS.getAndAdd(this, increment(registration));
    groupState().registered();
  }

  /** A registration was cancelled. */
  final void unregistered(LoopRegistration registration) {
    groupState().unregistered();
    Channel channel = registration.channel();
    if (channel != null) {
      IgnoredColors.look(channel);
    }
    inColor(() -> loopRegistrations = LoopRegistration.without(loopRegistrations, registration));
    long increment = increment(registration);
    if (nonDatagram((long) REGISTRATIONS.getAndAdd(this, -increment) - increment) == 0) {
      groupState().taskPrior().note(taskHandler().costNanos());
      vacated();
    }
  }

  /** Any thread: the last channel has gone, or its registration has failed. */
  abstract void vacated();

  private static long increment(LoopRegistration registration) {
    return registration.channel() instanceof DatagramChannel ? DATAGRAM : 1;
  }

  /** How many of them are no datagram channels. */
  private static int nonDatagram(long registrations) {
    return (int) registrations;
  }

  /** Color only: the registrations. */
  final List<LoopRegistration> loopRegistrations() {
    return LoopRegistration.list(loopRegistrations);
  }

  /** Whether no channel is registered, apart from datagram channels: see {@link LoopPool}. */
  @Override
  final boolean isVacant() {
    return nonDatagram((long) REGISTRATIONS.getVolatile(this)) == 0;
  }

  @Override
  public int registeredChannels() {
    long n = (long) REGISTRATIONS.getVolatile(this);
    return nonDatagram(n) + (int) (n / DATAGRAM);
  }

  @Override
  public Iterator<Channel> registeredChannelsIterator() {
    return new ChannelsReadOnlyIterator<>(LoopRegistration.channels(loopRegistrations));
  }
}

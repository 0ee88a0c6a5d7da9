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
 * The channels of a color: which of them are registered, and with the I/O handler of which core.
 *
 * <p>Thread-safe, except for what is marked as belonging to the color.
 */
abstract class ColorChannels extends ColorTasks {
  /** A datagram channel in {@link #registrations}; any other one counts 1. */
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
   * Atomic add, volatile read: anybody asks.
   */
  @SuppressWarnings("UnusedVariable") // touched through its VarHandle alone
  private long registrations;

  /** Color only: the registrations, see {@link Served}. */
  private @Nullable Object served;

  /**
   * @param poller of the home core
   * @param starter where the superclass starts its thread
   */
  ColorChannels(Engine engine, IoPoller poller, Executor starter) {
    super(engine, starter);
    this.poller = poller;
  }

  final IoPoller poller() {
    return poller;
  }

  /** Color only: a registration was made. */
  final void registered(Served registration) {
    served = Served.with(served, registration); // first: it may need memory
    REGISTRATIONS.getAndAdd(this, share(registration));
    engine().registered();
  }

  /** A registration was cancelled. */
  final void unregistered(Served registration) {
    engine().unregistered();
    Channel channel = registration.channel();
    if (channel != null) {
      IgnoredColors.look(channel);
    }
    inColor(() -> served = Served.without(served, registration));
    long share = share(registration);
    if (others((long) REGISTRATIONS.getAndAdd(this, -share) - share) == 0) {
      engine().tasks().note(taskHandler().costNanos());
      vacated();
    }
  }

  /** The last channel has gone, or has not come. Any thread. */
  abstract void vacated();

  private static long share(Served registration) {
    return registration.channel() instanceof DatagramChannel ? DATAGRAM : 1;
  }

  /** How many of the registrations are not those of datagram channels. */
  private static int others(long registrations) {
    return (int) registrations;
  }

  /** Color only: the registrations. */
  final List<Served> served() {
    return Served.list(served);
  }

  /** Whether no channel is registered, apart from datagram channels: see {@link LoopPool}. */
  @Override
  final boolean isVacant() {
    return others((long) REGISTRATIONS.getVolatile(this)) == 0;
  }

  @Override
  public int registeredChannels() {
    long n = (long) REGISTRATIONS.getVolatile(this);
    return others(n) + (int) (n / DATAGRAM);
  }

  @Override
  public Iterator<Channel> registeredChannelsIterator() {
    return new ChannelsReadOnlyIterator<>(Served.channels(served));
  }
}

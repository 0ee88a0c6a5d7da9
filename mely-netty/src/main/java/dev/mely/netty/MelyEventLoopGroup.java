package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import dev.mely.annotation.Access;
import dev.mely.report.Statistics;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An event loop group in which every channel is a color: an idle core steals whole channels from a
 * busy one.
 *
 * <pre>{@code
 * EventLoopGroup group = new MelyEventLoopGroup(NioIoHandler.newFactory());
 * new ServerBootstrap()
 *     .group(group)
 *     .channel(NioServerSocketChannel.class)
 *     .childHandler(new EchoHandler())
 *     .bind(7);
 * }</pre>
 *
 * <p>It is a {@link MultiThreadIoEventLoopGroup} and replaces one. What differs:
 *
 * <ul>
 *   <li>{@link #register(Channel)} gives an accepted or a server channel an event loop of its own
 *       (or that of its key, see {@link ColorAssigner}), and any other channel one of a fixed
 *       number, not shared as long as one is free. {@code channel.eventLoop()} stays the same for
 *       the life of the channel, and {@code inEventLoop()} is true exactly on the thread that runs
 *       the channel now. That thread may be another one the next time: handlers must not keep state
 *       in thread-locals.
 *   <li>{@link #next()} hands out a fixed number of colors in turn. Channels that are registered
 *       with such a loop directly share its color.
 *   <li>{@link #iterator()} yields one event loop per core. These stay on their core and their
 *       thread.
 *   <li>The default number of threads is the number of CPUs, not twice that; see {@link
 *       MelyEventLoopGroupBuilder#cores}.
 *   <li>An event loop cannot be shut down alone: its {@code shutdownGracefully} shuts down the
 *       group.
 * </ul>
 *
 * <p>Thread-safe. Source: Mely (ICDCS'10), sections II to IV, with channels for connections.
 */
public final class MelyEventLoopGroup extends MultiThreadIoEventLoopGroup {
  private final Cores cores;
  private final GroupState groupState;
  private final LoopPool pool;
  private final @Nullable ColorAssigner assigner;
  private final ColorExecutors executors;

  /**
   * Starts a group with the {@linkplain MelyEventLoopGroupBuilder#cores default} number of workers
   * on NIO. NIO needs no native library, runs on every platform, and in the benchmarks of a web
   * server Mely was as fast on it as on epoll. {@link MelyEventLoopGroupBuilder#transport} chooses
   * another transport.
   *
   * @see #serverSocketChannelType
   */
  public MelyEventLoopGroup() {
    this(builder());
  }

  /**
   * Starts a group with the {@linkplain MelyEventLoopGroupBuilder#cores default} number of workers.
   *
   * @param ioHandlerFactory makes the I/O handler of each core
   */
  public MelyEventLoopGroup(IoHandlerFactory ioHandlerFactory) {
    this(0, ioHandlerFactory);
  }

  /**
   * Starts a group.
   *
   * @param cores number of workers; 0: the {@linkplain MelyEventLoopGroupBuilder#cores default}
   * @param ioHandlerFactory makes the I/O handler of each core
   * @throws IllegalArgumentException if the number is out of range
   */
  public MelyEventLoopGroup(int cores, IoHandlerFactory ioHandlerFactory) {
    this(
        builder()
            .cores(cores)
            .ioHandlerFactory(Objects.requireNonNull(ioHandlerFactory, "ioHandlerFactory")));
  }

  /**
   * Starts a group.
   *
   * @param cores number of workers; 0: the {@linkplain MelyEventLoopGroupBuilder#cores default}
   * @param threadFactory makes the workers' threads
   * @param ioHandlerFactory makes the I/O handler of each core
   * @throws IllegalArgumentException if the number is out of range
   */
  public MelyEventLoopGroup(
      int cores, ThreadFactory threadFactory, IoHandlerFactory ioHandlerFactory) {
    this(
        builder()
            .cores(cores)
            .threadFactory(Objects.requireNonNull(threadFactory, "threadFactory"))
            .ioHandlerFactory(Objects.requireNonNull(ioHandlerFactory, "ioHandlerFactory")));
  }

  /**
   * Starts a group with the {@linkplain MelyEventLoopGroupBuilder#cores default} number of workers.
   *
   * @param threadFactory makes the workers' threads
   * @param ioHandlerFactory makes the I/O handler of each core
   */
  public MelyEventLoopGroup(ThreadFactory threadFactory, IoHandlerFactory ioHandlerFactory) {
    this(0, threadFactory, ioHandlerFactory);
  }

  MelyEventLoopGroup(MelyEventLoopGroupBuilder settings) {
    this(settings.settings());
  }

  private MelyEventLoopGroup(GroupSettings settings) {
    this(settings, new Cores(settings));
  }

  private MelyEventLoopGroup(GroupSettings settings, Cores cores) {
    super(cores.size(), (Executor) null, settings.ioHandlerFactory(), cores);
    this.cores = cores;
    this.groupState = cores.groupState();
    this.assigner = settings.colorAssigner();
    this.executors = new ColorExecutors(cores);
    boolean started = false;
    try {
      cores.start();
      pool = new LoopPool(cores, settings);
      cores.run();
      started = true;
    } finally {
      if (!started) {
        cores.cancelStart();
      }
    }
  }

  /**
   * Starts the configuration of a group.
   *
   * @return a builder with defaults that work
   */
  public static MelyEventLoopGroupBuilder builder() {
    return new MelyEventLoopGroupBuilder();
  }

  /** Called by the superclass's constructor, once per core. */
  @Override
  protected IoEventLoop newChild(
      Executor executor, IoHandlerFactory ioHandlerFactory, Object... args) {
    return ((Cores) args[0]).newCoreLoop(this);
  }

  /** Returns one of a fixed number of colors, in turn. */
  @Override
  public IoEventLoop next() {
    return pool.next();
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return register(channel, null, loop -> loop.register(channel));
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    return register(promise.channel(), promise, loop -> loop.register(promise));
  }

  @Deprecated
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return register(channel, promise, loop -> loop.register(channel, promise));
  }

  /** If no loop can be chosen, closes the channel and fails the promise. */
  private ChannelFuture register(
      Channel channel,
      @Nullable ChannelPromise promise,
      Function<EventLoop, ChannelFuture> registration) {
    EventLoop loop;
    try {
      loop = pool.loopFor(channel, assigner);
    } catch (Throwable t) {
      if (!channel.isRegistered()) {
        channel.unsafe().closeForcibly();
      }
      if (promise != null) {
        promise.tryFailure(t);
      }
      throw t;
    }
    return registration.apply(loop);
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return cores.poller(0).io().isCompatible(handleType);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> handlerType) {
    return cores.poller(0).io().getClass().equals(handlerType);
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    GroupShutdown.start(cores, quietPeriod, timeout, unit);
    return terminationFuture();
  }

  /**
   * Closes all channels, refuses new tasks, and runs those that wait: for 15 seconds, then the
   * futures of the rest are cancelled. From JDK 19 on a {@code try} statement ends a group by this,
   * and waits for it; in a handler that wait fails with an {@link IllegalStateException}, as in any
   * group.
   */
  @Deprecated
  @Override
  public void shutdown() {
    GroupShutdown.startOrderly(cores);
  }

  // ---- Colors beside those of the channels

  /**
   * Returns an executor for handlers that are to run in a color of their own. It stays the same as
   * long as a pipeline or other code holds it, or tasks are in it.
   *
   * <pre>{@code
   * pipeline.addLast(group.executor("page-cache"), new PageCacheHandler());
   * }</pre>
   *
   * <p>Its tasks exclude each other, over all channels; {@code inEventLoop()} is true exactly on
   * the thread that runs the color now. Idle cores steal it as they steal channels. Its {@code
   * shutdownGracefully} shuts down the group.
   *
   * @param color name of the color, which is that of this {@linkplain #color key}; not empty
   * @return one executor for each name
   * @throws IllegalArgumentException if the name is empty
   * @see ColoredInitializer
   */
  public EventExecutor executor(String color) {
    return executors.writer(Objects.requireNonNull(color, "color"));
  }

  /**
   * Returns an executor whose tasks are events of the given color: they exclude all other events of
   * that color, and keep their order among them.
   *
   * @param color of {@link #mely()}; tasks are refused with an {@link IllegalArgumentException} if
   *     it belongs to another runtime
   * @return a new executor; the tasks of several for one color exclude each other, too
   */
  public EventExecutor executor(Color color) {
    return executors.of(color);
  }

  /**
   * Returns executors for handlers that only read what channels share, or that need several colors:
   * each channel's pipeline takes one of its own.
   *
   * <pre>{@code
   * Permissions rates = Permissions.read(group.color("rates"));
   * pipeline.addLast(group.executor(rates), new ConvertHandler());
   * }</pre>
   *
   * <p>Tasks of different channels run in parallel where all of them read, and alone where one
   * writes. Events of one channel keep their order, and each has its place in the queue of every
   * color, behind those that were registered before. {@code inEventLoop()} is true exactly inside a
   * task of the channel's own executor. Handlers that one channel adds with the same group share
   * the executor; {@code next()} makes a new one each time, and none is kept when its channel has
   * gone.
   *
   * @param asked what each of a handler's events asks for, in colors of {@link #mely()}; tasks are
   *     refused with an {@link IllegalArgumentException} if one belongs to another runtime, or if
   *     two are pinned to different cores
   * @return a new group; its {@code shutdownGracefully} shuts down this one
   * @see Permissions
   */
  public EventExecutorGroup executor(Permissions asked) {
    return executors.of(asked);
  }

  /** The executor of a handler's annotation. */
  EventExecutorGroup executor(dev.mely.annotation.Color named) {
    return named.access() == Access.READ
        ? executors.readers(named.value())
        : executors.writer(named.value());
  }

  /**
   * Returns the color of a key, {@code mely().color(key)}: for permissions, or to register your own
   * events with it. It is one color for all sources: handlers with {@code group.executor("4711")}
   * or {@code @Color("4711")}, and events of {@code mely().color("4711")}, exclude each other.
   *
   * @param key a name, or any other key that {@link Mely#color(Object)} takes
   * @return one color for equal keys, as long as code holds it, or an event is pending in it
   */
  public Color color(Object key) {
    return executors.color(key);
  }

  /**
   * Returns the runtime behind the group, to make colors and register your own events. Its life is
   * the group's: its {@code shutdown} and {@code close} fail with an {@link IllegalStateException},
   * and change nothing, until the group itself ends it.
   *
   * @return the runtime; not to be closed
   */
  public Mely mely() {
    return groupState.mely();
  }

  // ---- Looking at it

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  public Statistics statistics() {
    return groupState.mely().inspect().statistics();
  }

  /**
   * Returns the number of channels that are registered.
   *
   * @return a recent number
   */
  public int registeredChannels() {
    return groupState.registrations();
  }

  /**
   * Returns the allocator that counts the live buffers of a group with a {@linkplain
   * MelyEventLoopGroupBuilder#workingSet working set}: to look at its figures, and for buffers that
   * a handler does not allocate from its channel but that are to count.
   *
   * @return the allocator; null: the group has no working set
   */
  public @Nullable StingyAllocator allocator() {
    return groupState.allocator();
  }

  /**
   * Describes what each core does at this moment, for people: see {@link
   * dev.mely.Inspection#dump()}.
   *
   * @return several lines of text; their form may change
   */
  public String dump() {
    return "MelyEventLoopGroup: "
        + groupState.registrations()
        + " channels, "
        + executors.size()
        + " named colors, "
        + pool.keys()
        + " keys, "
        + pool.freeColors()
        + " colors free\n"
        + groupState.mely().inspect().dump();
  }

  /**
   * Returns the class of server channels that fit the transport.
   *
   * @return of NIO, epoll, io_uring or kqueue
   * @throws IllegalStateException if the transport is none of these
   */
  public Class<? extends ServerSocketChannel> serverSocketChannelType() {
    return cores.transport().channelTypes().server();
  }

  /**
   * Returns the class of client channels that fit the transport.
   *
   * @return of NIO, epoll, io_uring or kqueue
   * @throws IllegalStateException if the transport is none of these
   */
  public Class<? extends SocketChannel> socketChannelType() {
    return cores.transport().channelTypes().client();
  }

  /**
   * Returns the class of datagram channels that fit the transport.
   *
   * @return of NIO, epoll, io_uring or kqueue
   * @throws IllegalStateException if the transport is none of these
   */
  public Class<? extends DatagramChannel> datagramChannelType() {
    return cores.transport().channelTypes().datagram();
  }

  GroupState groupState() {
    return groupState;
  }

  Cores cores() {
    return cores;
  }

  LoopPool pool() {
    return pool;
  }

  ColorExecutors executors() {
    return executors;
  }
}

package dev.mely.netty;

import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.StealPolicy;
import dev.mely.pinning.Unpinned;
import dev.mely.topology.AllowedCpus;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link MelyEventLoopGroup}. Every setting has a default that works; values are
 * checked when they are given, those of {@link #runtime} by {@link #build}. Not thread-safe; may
 * build several groups.
 */
public final class MelyEventLoopGroupBuilder {
  private static final int SHARED_COLORS_PER_CORE = 16;
  private static final int MAX_SHARED_COLORS = 1 << 16;

  /** Netty's name, default and least value, see {@code SingleThreadIoEventLoop}. */
  private static final String QUANTUM = "io.netty.eventLoop.maxTaskProcessingQuantumMs";

  /** Netty's name for the number of threads of a group, see {@code MultithreadEventLoopGroup}. */
  private static final String THREADS = "io.netty.eventLoopThreads";

  private static final int DEFAULT_QUANTUM_MILLIS = 1000;
  private static final int MIN_QUANTUM_MILLIS = 100;

  /** Sets the runtime's own builder, in the order in which the settings were given. */
  private Consumer<MelyBuilder> runtime =
      // No spins: what an idle core waits for comes from its poller.
      builder -> builder.order(MelyBuilder.Order.CHEAPEST_FIRST).spins(0);

  private int cores;
  private int sharedColors;
  private long workingSet;
  private Duration maxTaskProcessingQuantum = defaultQuantum();
  private IoHandlerFactory ioHandlerFactory = NioIoHandler.newFactory();
  private @Nullable ThreadFactory threadFactory;
  private @Nullable EventExecutorChooserFactory chooserFactory;
  private @Nullable ColorAssigner colorAssigner;

  MelyEventLoopGroupBuilder() {}

  /**
   * Sets the number of cores, that is, of worker threads. Default: one for each CPU that this
   * process may use, no more than its CPU quota and {@code -XX:ActiveProcessorCount}. Netty's own
   * settings count, too: {@code -Dio.netty.eventLoopThreads} takes the place of the default; a
   * number of processors that Netty was told ({@code -Dio.netty.availableProcessors}, {@link
   * NettyRuntime#setAvailableProcessors}) bounds it.
   *
   * @param cores 1 to 4096; 0: the default
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyEventLoopGroupBuilder cores(int cores) {
    set(builder -> builder.cores(cores));
    this.cores = cores;
    return this;
  }

  /**
   * Sets the factory of the workers' threads. Default: Netty's {@code DefaultThreadFactory}. Netty
   * is fastest on {@code FastThreadLocalThread}s.
   *
   * @param factory called once per core
   * @return this
   */
  public MelyEventLoopGroupBuilder threadFactory(ThreadFactory factory) {
    this.threadFactory = Objects.requireNonNull(factory, "factory");
    return this;
  }

  /**
   * Sets the transport. Default: NIO. Channels of NIO and epoll are colored; those of any other
   * transport (io_uring, local, kqueue) work as well, but stay on their core and its thread.
   *
   * @param factory makes the I/O handler of each core
   * @return this
   */
  public MelyEventLoopGroupBuilder ioHandlerFactory(IoHandlerFactory factory) {
    this.ioHandlerFactory = Objects.requireNonNull(factory, "factory");
    return this;
  }

  /**
   * Sets the transport by name. A transport whose classes, native code or kernel support are
   * missing is refused. {@code "auto"} then uses NIO, and writes one line to the log; {@link
   * MelyEventLoopGroup#serverSocketChannelType} and the methods beside it name the channel classes
   * that fit.
   *
   * @param name {@code "nio"}, {@code "epoll"}, {@code "io_uring"}, {@code "kqueue"}, or {@code
   *     "auto"}: epoll if available, else NIO, the two whose channels can be stolen; case does not
   *     matter
   * @return this
   * @throws IllegalArgumentException if the name is unknown, or if the transport that it names is
   *     not available here: the message says why, and which artifact it comes with
   */
  public MelyEventLoopGroupBuilder transport(String name) {
    this.ioHandlerFactory = Transports.newFactory(Objects.requireNonNull(name, "name"));
    return this;
  }

  /**
   * Sets which stealing heuristics are on. Default: {@link StealPolicy#ALL}.
   *
   * @param policy the policy
   * @return this
   */
  public MelyEventLoopGroupBuilder policy(StealPolicy policy) {
    return set(builder -> builder.policy(policy));
  }

  /**
   * Sets whether each worker is pinned to one CPU. Default: false, because a server shares its CPUs
   * with the rest of its process and machine.
   *
   * <p>On Linux <b>all that a handler starts inherits the worker's one CPU</b>: threads, other
   * event loops, Netty's {@code GlobalEventExecutor}, the carriers of virtual threads, child
   * processes. {@link MelyBuilder#pinned} says more, also of the library that pinning needs, and
   * {@link Unpinned} starts what needs more than one CPU.
   *
   * @param pinned whether to pin
   * @return this
   */
  public MelyEventLoopGroupBuilder pinned(boolean pinned) {
    return set(builder -> builder.pinned(pinned));
  }

  /**
   * Sets how many events of one color may run in a row while other colors wait. Default: 10 (Mely,
   * section IV-A).
   *
   * @param events 1 or more
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyEventLoopGroupBuilder batch(int events) {
    return set(builder -> builder.batch(events));
  }

  /**
   * Sets after how long inside one handler a core counts as stuck: idle cores then serve its other
   * channels, even those with little work, and poll in its place. Default: 4 milliseconds.
   *
   * @param time more than zero
   * @return this
   * @throws IllegalArgumentException if zero or negative
   */
  public MelyEventLoopGroupBuilder stuckAfter(Duration time) {
    return set(builder -> builder.stuckAfter(time));
  }

  /**
   * Sets the longest time that the I/O of a channel waits for the tasks that its event loop submits
   * to itself, as Netty's {@code SingleThreadIoEventLoop} bounds it. Default: the system property
   * {@code io.netty.eventLoop.maxTaskProcessingQuantumMs}, at least 100 milliseconds; if it is not
   * set, one second.
   *
   * @param time more than zero
   * @return this
   * @throws IllegalArgumentException if zero or negative
   */
  public MelyEventLoopGroupBuilder maxTaskProcessingQuantum(Duration time) {
    if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
      throw new IllegalArgumentException(
          "maxTaskProcessingQuantum must be more than zero, but is " + time);
    }
    this.maxTaskProcessingQuantum = time;
    return this;
  }

  private static Duration defaultQuantum() {
    int millis = Integer.getInteger(QUANTUM, DEFAULT_QUANTUM_MILLIS);
    return Duration.ofMillis(Math.max(MIN_QUANTUM_MILLIS, millis));
  }

  /**
   * Sets in which order a core runs the channels that wait for it. Default: {@link
   * MelyBuilder.Order#CHEAPEST_FIRST}, so that light connections do not queue behind heavy ones.
   *
   * @param order the order
   * @return this
   */
  public MelyEventLoopGroupBuilder order(MelyBuilder.Order order) {
    return set(builder -> builder.order(order));
  }

  /**
   * Sets which channels share a color. Default: each accepted channel has its own.
   *
   * @param assigner asked once per channel
   * @return this
   */
  public MelyEventLoopGroupBuilder colorAssigner(ColorAssigner assigner) {
    this.colorAssigner = Objects.requireNonNull(assigner, "assigner");
    return this;
  }

  /**
   * Sets how many colors there are for {@link MelyEventLoopGroup#next}, which hands them out in
   * turn, and for client channels. The number is fixed because libraries keep something for each
   * event loop that they meet there. Default: 16 per core.
   *
   * @param colors 1 to 65536; 0: the default
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyEventLoopGroupBuilder sharedColors(int colors) {
    if (colors < 0 || colors > MAX_SHARED_COLORS) {
      throw new IllegalArgumentException(
          "sharedColors must be between 0 and " + MAX_SHARED_COLORS + ", but is " + colors);
    }
    this.sharedColors = colors;
    return this;
  }

  /**
   * Sets the chooser between the colors that {@link MelyEventLoopGroup#next} hands out. Default:
   * they take turns. The chooser is given the shared colors, not the event loops of {@link
   * MelyEventLoopGroup#iterator}, and is not asked for channels that are registered with the group:
   * these have a color of their own. A chooser that adapts to load by suspending loops has no
   * effect, because a color has no thread that could be suspended.
   *
   * @param factory called once, with {@link #sharedColors} event loops; its chooser is called by
   *     any thread
   * @return this
   */
  public MelyEventLoopGroupBuilder chooserFactory(EventExecutorChooserFactory factory) {
    this.chooserFactory = Objects.requireNonNull(factory, "factory");
    return this;
  }

  /**
   * Sets how many bytes of live buffers a core may have before it delays reads (back-pressure). The
   * group's channels get a {@link StingyAllocator} of the group, unless one was set for them; the
   * buffers that a core's thread has allocated there and that have not been freed count. A core
   * that has reached the bound reads from no channel until a buffer has been freed; writes,
   * flushes, tasks and closes go on, and so does accepting. Channels that have waited long read all
   * the same, one after the other: a bound that is too low costs speed, and nothing else.
   *
   * <p>A core exceeds the bound by what one event of a channel allocates, which is up to its
   * handlers, and by what tasks allocate. Each core's slab has this size, but no more than half of
   * the L2 cache that a CPU has for itself; beyond it, buffers come from Netty's adaptive
   * allocator.
   *
   * <p>Reads are delayed on NIO and epoll; with other transports there is the allocator, and no
   * bound. Source: Stingy Allocator (ISMM'06), section 3.2: the scheduler asks before it runs what
   * allocates.
   *
   * @param bytes 1 or more for each core; 0: no bound, the default, which costs nothing
   * @return this
   * @throws IllegalArgumentException if negative
   */
  public MelyEventLoopGroupBuilder workingSet(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("workingSet must be 0 or more bytes, but is " + bytes);
    }
    this.workingSet = bytes;
    return this;
  }

  /**
   * Sets what the builder of the runtime behind the group offers and this one does not name: the
   * time after which a handler is reported as blocking, the error handler, bounds, which color a
   * thief takes, the poll interval.
   *
   * <pre>{@code
   * MelyEventLoopGroup.builder()
   *     .runtime(mely -> mely.reportBlockedAfter(Duration.ofMillis(200)).errorHandler(reporter))
   * }</pre>
   *
   * <p>Settings of the same name here and there are the same setting: the last one counts. The
   * number of cores, the pollers, the thread factory and the shutdown guard are the group's: what
   * is set of them there has no effect.
   *
   * <p>What handlers of Netty and tasks throw is handled and logged by Netty as in any group; the
   * error handler hears of handlers that block, and of events that a program registers with {@link
   * MelyEventLoopGroup#mely}.
   *
   * <p>Bounds hold for what programs submit: tasks of event loops ({@code execute}, {@code submit},
   * {@code schedule} from other threads), writes from other threads, and events of {@link
   * MelyEventLoopGroup#mely}. What finds no room is refused with a {@link
   * java.util.concurrent.RejectedExecutionException}, as by Netty's {@code
   * io.netty.eventLoop.maxPendingTasks}, or waits for it. What channels do takes no room: they are
   * registered, read, flushed, closed and deregistered, their handlers and the listeners of their
   * promises are told, and the group ends, however full it is.
   *
   * @param settings called once by each {@link #build}, which throws what it throws
   * @return this
   */
  public MelyEventLoopGroupBuilder runtime(Consumer<MelyBuilder> settings) {
    runtime = runtime.andThen(Objects.requireNonNull(settings, "settings"));
    return this;
  }

  /** A setting of this builder's own, which is checked at once. */
  private MelyEventLoopGroupBuilder set(Consumer<MelyBuilder> setting) {
    setting.accept(Mely.builder());
    return runtime(setting);
  }

  /**
   * Starts the group's workers.
   *
   * @return a running group; shut it down in the end
   * @throws IllegalArgumentException if a value that was set by {@link #runtime} is out of range
   * @throws IllegalStateException if the workers are to be {@linkplain #pinned pinned} and the
   *     library for it is missing
   */
  public MelyEventLoopGroup build() {
    return new MelyEventLoopGroup(this);
  }

  /** What the group is built with: all defaults filled in. */
  GroupSettings settings() {
    MelyBuilder mely = Mely.builder();
    runtime.accept(mely);
    int n = cores != 0 ? cores : defaultCores();
    return new GroupSettings(
        mely,
        n,
        sharedColors != 0 ? sharedColors : SHARED_COLORS_PER_CORE * n,
        saturatedNanos(maxTaskProcessingQuantum),
        workingSet,
        ioHandlerFactory,
        threadFactory,
        chooserFactory,
        colorAssigner);
  }

  private static int defaultCores() {
    Integer threads = Integer.getInteger(THREADS);
    if (threads != null) {
      return Math.max(1, threads); // as Netty's groups do
    }
    int most = AllowedCpus.system().recommendedWorkers();
    int told = NettyRuntime.availableProcessors();
    // If the two are equal, Netty has only asked the Java runtime, which knows no more than
    // AllowedCpus does; in a pinned thread it knows less.
    return told == Runtime.getRuntime().availableProcessors() ? most : Math.min(most, told);
  }

  private static long saturatedNanos(Duration time) {
    try {
      return time.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE; // more than 292 years
    }
  }
}

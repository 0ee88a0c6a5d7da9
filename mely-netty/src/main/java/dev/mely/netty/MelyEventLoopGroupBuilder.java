package dev.mely.netty;

import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.topology.AllowedCpus;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link MelyEventLoopGroup}. Every setting has a default that works; values are
 * checked when they are given. Not thread-safe; may build several groups.
 */
public final class MelyEventLoopGroupBuilder {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.netty");
  private static final int MAX_CORES = 4096;
  private static final int SHARED_COLORS_PER_CORE = 16;

  private int cores;
  private int batch = 10;
  private int sharedColors;
  private boolean pinned;
  private StealPolicy policy = StealPolicy.ALL;
  private @Nullable Duration watchTime;
  private Mely.Order order = Mely.Order.CHEAPEST_FIRST;
  private IoHandlerFactory ioHandlerFactory = NioIoHandler.newFactory();
  private @Nullable ThreadFactory threadFactory;
  private @Nullable ColorAssigner colorAssigner;
  private @Nullable Long seed;

  MelyEventLoopGroupBuilder() {}

  /**
   * Sets the number of cores, that is, of worker threads. Default: the CPUs that this process may
   * use, no more than its CPU quota.
   *
   * @param cores 1 to 4096; 0: the default
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyEventLoopGroupBuilder cores(int cores) {
    this.cores = inRange("cores", cores, 0, MAX_CORES);
    return this;
  }

  /**
   * Sets who makes the workers' threads. Default: Netty's {@code DefaultThreadFactory}. Netty is
   * fastest on {@code FastThreadLocalThread}s.
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
   * Sets the transport by name. Where a native one cannot be had, because its classes, its native
   * code or the kernel's consent are missing, the group says so in one line of the log and uses
   * NIO; {@link MelyEventLoopGroup#serverSocketChannelType} and its siblings then name the channel
   * classes that fit.
   *
   * @param name {@code "nio"}, {@code "epoll"}, {@code "io_uring"}, {@code "kqueue"}, or {@code
   *     "auto"}: epoll if available, else NIO, which are the ones that steal; case does not matter
   * @return this
   * @throws IllegalArgumentException if the name is unknown
   */
  public MelyEventLoopGroupBuilder transport(String name) {
    this.ioHandlerFactory =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "nio" -> NioIoHandler.newFactory();
          case "auto" -> nativeOrNio("epoll");
          case "epoll", "io_uring", "kqueue" -> nativeOrNio(name.toLowerCase(Locale.ROOT));
          default ->
              throw new IllegalArgumentException(
                  "unknown transport '" + name + "'; known: auto, nio, epoll, io_uring, kqueue");
        };
    return this;
  }

  private static IoHandlerFactory nativeOrNio(String name) {
    Throwable cause;
    try {
      NativeTransport transport = NativeTransport.named(name);
      cause = transport.unavailabilityCause();
      if (cause == null) {
        return transport.newFactory();
      }
    } catch (LinkageError e) {
      cause = e; // the classes of the optional dependency are missing
    }
    LOGGER.log(System.Logger.Level.INFO, name + " is not available, using NIO: " + cause);
    return NioIoHandler.newFactory();
  }

  /**
   * Sets which stealing heuristics are on. Default: {@link StealPolicy#ALL}.
   *
   * @param policy the policy
   * @return this
   */
  public MelyEventLoopGroupBuilder policy(StealPolicy policy) {
    this.policy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Sets whether each worker is pinned to one CPU. Default: false, because a server shares its CPUs
   * with the rest of its process and machine.
   *
   * @param pinned whether to pin
   * @return this
   */
  public MelyEventLoopGroupBuilder pinned(boolean pinned) {
    this.pinned = pinned;
    return this;
  }

  /**
   * Sets how many events of one color may run in a row while others wait. Default: 10 (Mely,
   * section IV-A).
   *
   * @param events 1 or more
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyEventLoopGroupBuilder batch(int events) {
    this.batch = inRange("batch", events, 1, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Sets how long a core may be inside one handler before idle cores serve its other channels,
   * however little work they have, and poll in its place. Default: 4 milliseconds.
   *
   * @param time more than zero
   * @return this
   * @throws IllegalArgumentException if zero or negative
   */
  public MelyEventLoopGroupBuilder watchTime(Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException("watchTime must be more than zero, but is " + time);
    }
    this.watchTime = time;
    return this;
  }

  /**
   * Sets in which order a core runs the channels that wait for it. Default: {@link
   * Mely.Order#CHEAPEST_FIRST}, so that light connections do not queue behind heavy ones.
   *
   * @param order the order
   * @return this
   */
  public MelyEventLoopGroupBuilder order(Mely.Order order) {
    this.order = Objects.requireNonNull(order, "order");
    return this;
  }

  /**
   * Sets which channels share a color. Default: each has its own.
   *
   * @param assigner asked once per channel
   * @return this
   */
  public MelyEventLoopGroupBuilder colorAssigner(ColorAssigner assigner) {
    this.colorAssigner = Objects.requireNonNull(assigner, "assigner");
    return this;
  }

  /**
   * Sets how many colors {@link MelyEventLoopGroup#next} hands out in turn. Libraries keep
   * something for each event loop that they meet there, hence a fixed number. Default: 16 per core.
   *
   * @param colors 1 to 65536; 0: the default
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyEventLoopGroupBuilder sharedColors(int colors) {
    this.sharedColors = inRange("sharedColors", colors, 0, 1 << 16);
    return this;
  }

  /**
   * Debug switch: at each activation a color goes to a core drawn at random. It shakes out handlers
   * that rely on a thread rather than on their event loop.
   *
   * @param seed of the draw
   * @return this
   */
  public MelyEventLoopGroupBuilder randomMigration(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * Starts the group's workers.
   *
   * @return a running group; shut it down in the end
   */
  public MelyEventLoopGroup build() {
    return new MelyEventLoopGroup(this);
  }

  /** What the group is built with: all defaults filled in. */
  GroupSettings settings() {
    int n = cores != 0 ? cores : AllowedCpus.system().recommendedWorkers();
    return new GroupSettings(
        n,
        batch,
        sharedColors != 0 ? sharedColors : SHARED_COLORS_PER_CORE * n,
        pinned,
        policy,
        order,
        watchTime,
        ioHandlerFactory,
        threadFactory,
        colorAssigner,
        seed);
  }

  private static int inRange(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", but is " + value);
    }
    return value;
  }
}

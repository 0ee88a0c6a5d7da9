package dev.mely.bench.server;

import dev.mely.bench.Arrivals;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Many connections on one event loop of Netty's, with one outstanding request each. In a closed
 * loop, each answer triggers the next request. In an open loop, requests are due at random times
 * that do not depend on the server; a request whose connection still waits for an answer is queued,
 * and its latency counts from its due time.
 *
 * <p>The client uses epoll where available: its timers are exact to some microseconds, a selector's
 * to a millisecond. The delay of the client itself is measured.
 */
final class LoadClient implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_MILLIS = 1;
  private static final long END_SECONDS = 5;
  private static final long SEED = 2010;

  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final List<Line> lines = new ArrayList<>();

  // Written by the loop's thread only.
  private volatile long asked;
  private volatile long answered;
  private volatile @Nullable Throwable failure;

  // Only the loop's thread.
  private final SplittableRandom random = new SplittableRandom(SEED);
  private Result times = new Result();

  /**
   * Measured times.
   *
   * @param closed times of requests in a closed loop, nanoseconds
   * @param open times of requests in an open loop, from their due times, nanoseconds
   * @param late delay of the client itself in sending the latter, nanoseconds
   */
  record Result(Histogram closed, Histogram open, Histogram late) {
    private Result() {
      this(new Histogram(3), new Histogram(3), new Histogram(3));
    }
  }

  /**
   * Connects, one connection after the other.
   *
   * @param port of the server, on the loopback address
   * @param dialogues makes a dialogue for each connection
   */
  LoadClient(int port, int connections, Supplier<? extends Dialogue> dialogues)
      throws IOException, InterruptedException {
    boolean epoll = Transport.EPOLL.isAvailable();
    group =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory("client", true),
            (epoll ? Transport.EPOLL : Transport.NIO).newFactory());
    loop = group.next();
    try {
      Bootstrap bootstrap =
          new Bootstrap()
              .group(loop)
              .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(
                  new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                      Line line = new Line(channel, dialogues.get());
                      line.dialogue.install(channel);
                      channel.pipeline().addLast(line);
                      lines.add(line);
                    }
                  });
      for (int i = 0; i < connections; i++) {
        bootstrap.connect(InetAddress.getLoopbackAddress(), port).sync();
      }
    } catch (Throwable e) { // including the undeclared IOException of sync()
      close();
      throw e;
    }
  }

  /** Number of answers so far. Any thread. */
  long answered() {
    return answered;
  }

  /** Starts a closed loop. */
  void begin() throws InterruptedException {
    begin(all -> true, Long.MAX_VALUE);
  }

  private void begin(Predicate<Dialogue> which, long messages) throws InterruptedException {
    loop.submit(
            () -> {
              times = new Result();
              for (Line line : lines) {
                if (which.test(line.dialogue)) {
                  line.open = false;
                  line.left = messages;
                  line.ask(System.nanoTime());
                }
              }
            })
        .sync();
  }

  /** Stops the requests, and waits for the last answers. */
  void end() throws IOException, InterruptedException {
    loop.submit(() -> lines.forEach(line -> line.left = 0)).sync();
    awaitAnswers();
  }

  /** Runs a closed loop for a time. Returns the requests' times. */
  Histogram closed(long nanos) throws IOException, InterruptedException {
    return run(all -> true, none -> false, 0, nanos).closed;
  }

  /** As above. Returns the number of answers. */
  double count(long nanos) throws IOException, InterruptedException {
    return closed(nanos).getTotalCount();
  }

  /** Sends a number of requests on each connection, in a closed loop. Returns their times. */
  Histogram exchange(long messages) throws IOException, InterruptedException {
    begin(all -> true, messages);
    awaitAnswers();
    return times.closed;
  }

  /** Runs an open loop for a time, with a mean rate. */
  Result open(double perSecond, long nanos) throws IOException, InterruptedException {
    return run(none -> false, all -> true, perSecond, nanos);
  }

  /**
   * Runs both kinds of loops for a time, and waits for the last answers.
   *
   * @param busy which connections run a closed loop
   * @param others which connections run an open loop
   * @param perSecond total mean rate of the open loops
   */
  Result run(Predicate<Dialogue> busy, Predicate<Dialogue> others, double perSecond, long nanos)
      throws IOException, InterruptedException {
    begin(busy, Long.MAX_VALUE);
    List<Line> some = lines.stream().filter(line -> others.test(line.dialogue)).toList();
    Schedule schedule = new Schedule(some, 1e9 / perSecond, nanos);
    if (!some.isEmpty()) {
      loop.execute(schedule::begin);
    }
    TimeUnit.NANOSECONDS.sleep(nanos);
    while (!some.isEmpty() && !schedule.over) {
      checkFailure();
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    end();
    return times;
  }

  private void awaitAnswers() throws IOException, InterruptedException {
    long seen = -1;
    long since = System.nanoTime();
    while (true) {
      checkFailure();
      long now = answered;
      if (now == asked) {
        return;
      }
      if (now != seen) {
        seen = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > PATIENCE_NANOS) {
        throw new IOException(
            (asked - now)
                + " requests have had no answer for "
                + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                + " s");
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  /** Keeps the first failure; later ones follow from it. Only the loop's thread. */
  private void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  private void checkFailure() throws IOException {
    Throwable failed = failure;
    if (failed != null) {
      throw new IOException(failed.getMessage(), failed);
    }
  }

  @Override
  public void close() {
    group
        .shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS);
  }

  /** The requests of an open loop. On the loop's thread. */
  private final class Schedule {
    private final List<Line> some;
    private final double gap;
    private final long nanos;
    private long due;
    private long end;
    private int turn;
    private volatile boolean over;

    Schedule(List<Line> some, double gap, long nanos) {
      this.some = some;
      this.gap = gap;
      this.nanos = nanos;
    }

    void begin() {
      step(
          () -> {
            due = System.nanoTime();
            end = due + nanos;
            due += Arrivals.gap(random, gap);
            sendWhatIsDue();
          });
    }

    private void step(Runnable step) {
      try {
        step.run();
      } catch (Throwable e) {
        fail(e); // else it would be lost in a future, and the caller would wait forever
      }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the step itself reports a failure
    private void sendWhatIsDue() {
      long now = System.nanoTime();
      while (due - now <= 0) {
        if (due - end > 0) {
          over = true;
          return;
        }
        times.late.recordValue(now - due);
        some.get(turn).askAt(due);
        turn = turn + 1 == some.size() ? 0 : turn + 1;
        due += Arrivals.gap(random, gap);
      }
      loop.schedule(() -> step(this::sendWhatIsDue), due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
  }

  /** One connection. On the loop's thread. */
  private final class Line extends SimpleChannelInboundHandler<Object> {
    private final Channel channel;
    private final Dialogue dialogue;

    /** Due times of the requests that wait behind the outstanding one. */
    private final Deque<Long> waiting = new ArrayDeque<>();

    private long due;
    private boolean busy;

    /** Whether it belongs to an open loop. */
    private boolean open;

    /** Remaining messages of a closed loop, including the outstanding one. */
    private long left;

    Line(Channel channel, Dialogue dialogue) {
      this.channel = channel;
      this.dialogue = dialogue;
    }

    void askAt(long time) {
      open = true;
      if (busy) {
        count(1);
        waiting.add(time);
      } else {
        ask(time);
      }
    }

    /** Sends a request. A request that had to wait is already counted. */
    void ask(long time) {
      count(1);
      send(time);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure goes to exceptionCaught
    private void send(long time) {
      due = time;
      busy = true;
      channel.writeAndFlush(dialogue.ask(channel.alloc()), channel.voidPromise());
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void count(int requests) {
      asked += requests;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    protected void channelRead0(ChannelHandlerContext context, Object part) throws IOException {
      if (!dialogue.ends(part)) {
        return;
      }
      Histogram kind = open ? times.open : times.closed;
      kind.recordValue(Math.max(0, System.nanoTime() - due));
      busy = false;
      Long next = waiting.poll();
      if (next != null) {
        send(next);
      } else if (--left > 0) {
        ask(System.nanoTime());
      }
      answered++; // last: when the counts are equal, all results are visible
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it has failed already
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      fail(cause);
      context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (busy) {
        fail(new IOException("the server has closed a connection"));
      }
    }
  }
}

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
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Many connections on one event loop of Netty's, with one request under way on each. In a closed
 * loop each asks again when the answer has come. In an open loop requests are due at random times
 * that do not depend on the server; one whose connection still waits for an answer waits behind it,
 * and its latency counts from the time at which it was due.
 *
 * <p>Where there is epoll the client uses it: its timers are exact to some microseconds, those of a
 * selector to a millisecond. How late requests were sent is measured.
 */
final class LoadClient implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_MILLIS = 1;
  private static final long END_SECONDS = 5;
  private static final long SEED = 2010;

  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final List<Line> lines = new ArrayList<>();

  // Written by the loop's thread alone.
  private volatile long asked;
  private volatile long answered;
  private volatile @Nullable Throwable failure;

  // The loop's thread alone.
  private final SplittableRandom random = new SplittableRandom(SEED);
  private boolean closed;
  private int turn;
  private Histogram times = new Histogram(3);
  private Histogram late = new Histogram(3);

  /**
   * What was measured in an open loop.
   *
   * @param times of requests, from when they were due, nanoseconds
   * @param late how late requests were sent that could be sent, nanoseconds
   */
  record Result(Histogram times, Histogram late) {}

  /**
   * Connects, one connection after the other.
   *
   * @param port of the server, on the loopback address
   * @param dialogues makes what each says
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
    } catch (Throwable e) { // also the IOException that sync() throws undeclared
      close();
      throw e;
    }
  }

  /** How many answers have come so far. Any thread. */
  long answered() {
    return answered;
  }

  /** Begins to ask in a closed loop. */
  void begin() {
    loop.execute(
        () -> {
          closed = true;
          try {
            lines.forEach(line -> line.ask(System.nanoTime()));
          } catch (Throwable e) {
            fail(e);
          }
        });
  }

  /** Asks no more, and waits for the last answers. */
  void end() throws IOException, InterruptedException {
    await(loop.submit(() -> closed = false));
    awaitAnswers();
  }

  /**
   * Asks in a closed loop for a while.
   *
   * @return how many answers came
   */
  double closed(long nanos) throws IOException, InterruptedException {
    long before = answered;
    begin();
    TimeUnit.NANOSECONDS.sleep(nanos);
    end();
    return answered - before;
  }

  /**
   * Asks in an open loop for a while, and waits for the last answers.
   *
   * @param perSecond how often, on average
   */
  Result open(double perSecond, long nanos) throws IOException, InterruptedException {
    Schedule schedule = new Schedule(1e9 / perSecond, nanos);
    loop.execute(schedule::begin);
    TimeUnit.NANOSECONDS.sleep(nanos);
    while (!schedule.over) {
      checkFailure();
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    awaitAnswers();
    return new Result(times, late);
  }

  private static void await(io.netty.util.concurrent.Future<?> done) throws InterruptedException {
    done.sync();
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

  /** The first failure tells why; others follow from it. The loop's thread alone. */
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

  /** Requests of an open loop. On the loop's thread. */
  private final class Schedule {
    private final double gap;
    private final long nanos;
    private long due;
    private long end;
    private volatile boolean over;

    Schedule(double gap, long nanos) {
      this.gap = gap;
      this.nanos = nanos;
    }

    void begin() {
      step(
          () -> {
            times = new Histogram(3);
            late = new Histogram(3);
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
        fail(e); // else it would be lost in a future, and the caller would wait for ever
      }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failure is told by the step itself
    private void sendWhatIsDue() {
      long now = System.nanoTime();
      while (due - now <= 0) {
        if (due - end > 0) {
          over = true;
          return;
        }
        late.recordValue(now - due);
        lines.get(turn).askAt(due);
        turn = turn + 1 == lines.size() ? 0 : turn + 1;
        due += Arrivals.gap(random, gap);
      }
      loop.schedule(() -> step(this::sendWhatIsDue), due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
  }

  /** One connection. On the loop's thread. */
  private final class Line extends SimpleChannelInboundHandler<Object> {
    private final Channel channel;
    private final Dialogue dialogue;

    /** When the requests were due that wait for the one under way. */
    private final Deque<Long> waiting = new ArrayDeque<>();

    private long due;
    private boolean busy;

    Line(Channel channel, Dialogue dialogue) {
      this.channel = channel;
      this.dialogue = dialogue;
    }

    void askAt(long time) {
      if (busy) {
        count(1);
        waiting.add(time);
      } else {
        ask(time);
      }
    }

    /** Sends a request. One that has waited is counted already. */
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
      times.recordValue(Math.max(0, System.nanoTime() - due));
      busy = false;
      Long next = waiting.poll();
      if (next != null) {
        send(next);
      } else if (closed) {
        ask(System.nanoTime());
      }
      answered++; // last, so that who sees as many as were asked sees all
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

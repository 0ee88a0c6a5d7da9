package dev.mely.bench.server;

import dev.mely.bench.Arrivals;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Busy and light connections, a thread each that mostly sleeps: busy ones in a closed loop, light
 * and mixed ones at random times that were set beforehand. The latency of a light request counts
 * from the time at which it was due, so that a request that had to wait for the one before it
 * counts as late.
 */
final class SkewClient implements AutoCloseable {
  /** Requests of a light connection are this far apart, on average. */
  static final long LIGHT_GAP_NANOS = 20_000_000;

  /** A connection that is made and never used. */
  private static final char UNUSED = '-';

  /** A connection whose requests are drawn from the mix, at random times. */
  private static final char MIXED = 'X';

  private static final long SEED = 2010;

  private final long mixedGapNanos;

  private final List<Line> lines = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile @Nullable IOException failure;
  private volatile boolean ending;

  /** How often {@link #run} was called. Written by its caller alone. */
  private volatile int runs;

  /**
   * Connects, one connection after the other.
   *
   * @param port of the server
   * @param order one letter per connection, from {@link #skewed} or {@link #even}
   */
  SkewClient(int port, String order) throws IOException {
    this(port, order, LIGHT_GAP_NANOS);
  }

  /**
   * Connects, one connection after the other.
   *
   * @param mixedGapNanos requests of a mixed connection are this far apart, on average
   */
  SkewClient(int port, String order, long mixedGapNanos) throws IOException {
    this.mixedGapNanos = mixedGapNanos;
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < order.length(); i++) {
      SocketChannel channel = SocketChannel.open(address);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      lines.add(new Line(channel, (byte) order.charAt(i), SEED + i));
    }
    for (Line line : lines) {
      if (line.kind != UNUSED) {
        Thread thread = new Thread(() -> run(line), "client");
        thread.setDaemon(true);
        threads.add(thread);
      }
    }
    threads.forEach(Thread::start);
  }

  /**
   * In which order to connect so that connection n, which goes to core n modulo cores, is busy
   * exactly on core 0.
   */
  static String skewed(int busy, int light, int cores) {
    StringBuilder order = new StringBuilder();
    int busyLeft = busy;
    int lightLeft = light;
    while (busyLeft > 0 || lightLeft > 0) {
      boolean first = order.length() % cores == 0;
      if (first && busyLeft > 0) {
        order.append((char) Frame.BUSY);
        busyLeft--;
      } else if ((!first || cores == 1) && lightLeft > 0) {
        order.append((char) Frame.LIGHT);
        lightLeft--;
      } else {
        order.append(UNUSED);
      }
    }
    return order.toString();
  }

  /**
   * Adds connections that are never used, so that the first one that comes after goes to core 0
   * again.
   */
  static String padded(String order, int cores) {
    int over = order.length() % cores;
    return over == 0 ? order : order + String.valueOf(UNUSED).repeat(cores - over);
  }

  /** In which order to connect so that all cores get as many busy ones, as far as possible. */
  static String even(int busy, int light) {
    return String.valueOf((char) Frame.BUSY).repeat(busy)
        + String.valueOf((char) Frame.LIGHT).repeat(light);
  }

  /** Connections that are all alike. */
  static String mixed(int count) {
    return String.valueOf(MIXED).repeat(count);
  }

  private void run(Line line) {
    try {
      if (line.kind == Frame.BUSY) {
        while (!ending) {
          line.exchange(System.nanoTime());
        }
      } else {
        line.exchangeAtRandomTimes();
      }
    } catch (Throwable e) { // whatever it is, a result without this connection is none
      if (!ending) {
        failure = e instanceof IOException own ? own : new IOException(e);
      }
    }
  }

  /**
   * Lets the connections work for a while and takes what they measured.
   *
   * @param nanos how long
   * @return measured in that time
   */
  Result run(long nanos) throws IOException, InterruptedException {
    lines.forEach(Line::take);
    int before = runs;
    runs = before + 1;
    long start = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(nanos);
    long took = System.nanoTime() - start;
    Result result = new Result(new Histogram(3), new Histogram(3), new Histogram(3), took);
    lines.forEach(line -> line.addTo(result));
    IOException failed = failure;
    if (failed != null) {
      throw failed;
    }
    return result;
  }

  /** As above. Returns how many requests were answered. */
  double count(long nanos) throws IOException, InterruptedException {
    Result result = run(nanos);
    return result.busy.getTotalCount() + (double) result.light.getTotalCount();
  }

  @Override
  public void close() throws IOException {
    ending = true;
    for (Line line : lines) {
      line.channel.close();
    }
  }

  /**
   * What was measured.
   *
   * @param busy times of busy requests, nanoseconds
   * @param light times of light requests, from when they were due, nanoseconds
   * @param late how late the client itself woke up to send a light request, nanoseconds
   * @param nanos how long it took
   */
  record Result(Histogram busy, Histogram light, Histogram late, long nanos) {}

  /** One connection. */
  private final class Line {
    final SocketChannel channel;
    final byte kind;
    private final ByteBuffer frame;
    private final SplittableRandom random;

    // What they hold is guarded by this: two takers a sample, else no contention.
    private final Histogram times = new Histogram(3);
    private final Histogram late = new Histogram(3);

    Line(SocketChannel channel, byte kind, long seed) {
      this.channel = channel;
      this.kind = kind;
      this.frame = Frame.of(kind);
      this.random = new SplittableRandom(seed);
    }

    void exchange(long due) throws IOException {
      while (frame.hasRemaining()) {
        channel.write(frame);
      }
      frame.clear();
      while (frame.hasRemaining()) {
        if (channel.read(frame) < 0) {
          throw new IOException("the server has closed a connection");
        }
      }
      frame.flip();
      long took = System.nanoTime() - due;
      synchronized (this) {
        times.recordValue(took);
      }
    }

    void exchangeAtRandomTimes() throws IOException {
      long due = System.nanoTime();
      long gap = kind == MIXED ? mixedGapNanos : LIGHT_GAP_NANOS;
      int run = runs;
      while (!ending) {
        if (kind == MIXED && run != runs) {
          // What a cold server left undone is no part of what is measured when it is warm.
          run = runs;
          due = System.nanoTime();
        }
        due += Arrivals.gap(random, (double) gap);
        if (due - System.nanoTime() > 0) {
          while (due - System.nanoTime() > 0) {
            LockSupport.parkNanos(due - System.nanoTime());
          }
          synchronized (this) {
            late.recordValue(System.nanoTime() - due);
          }
        }
        if (kind == MIXED) {
          frame.put(0, Frame.mixed(random.nextInt(10)));
        }
        exchange(due);
      }
    }

    synchronized void take() {
      times.reset();
      late.reset();
    }

    synchronized void addTo(Result result) {
      (kind == Frame.BUSY ? result.busy : result.light).add(times);
      result.late.add(late);
    }
  }
}

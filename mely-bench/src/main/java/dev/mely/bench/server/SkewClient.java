package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.PrimitiveIterator;
import java.util.SplittableRandom;

/**
 * Busy connections in a closed loop; light and mixed connections in an open loop, at random times.
 * The latency of a light request counts from its due time, so it includes the wait for the request
 * before it.
 */
final class SkewClient implements AutoCloseable {
  /** Mean time between requests of a light connection. */
  static final long LIGHT_GAP_NANOS = 20_000_000;

  /** A connection that is opened and never used. */
  private static final char UNUSED = '-';

  /** A connection with requests of the mix, at random times. */
  private static final char MIXED = 'X';

  private static final long SEED = 2010;

  private final LoadClient client;
  private final double perSecond;

  /**
   * Connects, one connection after the other.
   *
   * @param port of the server
   * @param order one letter per connection, from {@link #skewed}, {@link #even} or {@link #mixed}
   * @param gapNanos mean time between requests of a light or mixed connection
   */
  SkewClient(int port, String order, long gapNanos) throws IOException, InterruptedException {
    long others = order.chars().filter(c -> c == Frame.LIGHT || c == MIXED).count();
    perSecond = others * 1e9 / gapNanos;
    PrimitiveIterator.OfInt kinds = order.chars().iterator();
    SplittableRandom random = new SplittableRandom(SEED);
    client = new LoadClient(port, order.length(), () -> new Frames(kinds.nextInt(), random));
  }

  /**
   * The order of connects in which exactly the connections of core 0 are busy; connection n goes to
   * core n modulo cores.
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

  /** Adds unused connections, so that the next one goes to core 0 again. */
  static String padded(String order, int cores) {
    int over = order.length() % cores;
    return over == 0 ? order : order + String.valueOf(UNUSED).repeat(cores - over);
  }

  /** The order of connects in which all cores get equally many busy ones, as far as possible. */
  static String even(int busy, int light) {
    return String.valueOf((char) Frame.BUSY).repeat(busy)
        + String.valueOf((char) Frame.LIGHT).repeat(light);
  }

  /** Connections that all use the mix. */
  static String mixed(int count) {
    return String.valueOf(MIXED).repeat(count);
  }

  /** Runs the load for a time; returns the measured times. */
  LoadClient.Result run(long nanos) throws IOException, InterruptedException {
    return client.run(
        d -> d instanceof Frames f && f.kind == Frame.BUSY,
        d -> d instanceof Frames f && (f.kind == Frame.LIGHT || f.kind == MIXED),
        perSecond,
        nanos);
  }

  /** As above; returns the number of answers. */
  double count(long nanos) throws IOException, InterruptedException {
    LoadClient.Result result = run(nanos);
    return result.closed().getTotalCount() + (double) result.open().getTotalCount();
  }

  @Override
  public void close() {
    client.close();
  }

  /** One connection; all draw from the same mix. */
  private static final class Frames extends FixedDialogue {
    private final int kind;
    private final SplittableRandom random;

    Frames(int kind, SplittableRandom random) {
      super(Frame.BYTES, Frame.BYTES);
      this.kind = kind;
      this.random = random;
    }

    @Override
    void ask(ByteBuf request) {
      request.writeByte(kind == MIXED ? Frame.mixed(random.nextInt(10)) : kind);
      request.writeZero(Frame.BYTES - 1);
    }

    @Override
    void check(ByteBuf reply) {
      // The computed value is not checked.
    }
  }
}

package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.PrimitiveIterator;
import java.util.SplittableRandom;

/**
 * Busy and light connections: busy ones in a closed loop, light and mixed ones at random times that
 * do not depend on the server. The latency of a light request counts from the time at which it was
 * due, so that a request that had to wait for the one before it counts as late.
 */
final class SkewClient implements AutoCloseable {
  /** Requests of a light connection are this far apart, on average. */
  static final long LIGHT_GAP_NANOS = 20_000_000;

  /** A connection that is made and never used. */
  private static final char UNUSED = '-';

  /** A connection whose requests are drawn from the mix, at random times. */
  private static final char MIXED = 'X';

  private static final long SEED = 2010;

  private final LoadClient client;
  private final double perSecond;

  /**
   * Connects, one connection after the other.
   *
   * @param port of the server
   * @param order one letter per connection, from {@link #skewed}, {@link #even} or {@link #mixed}
   * @param gapNanos requests of a light or mixed connection are this far apart, on average
   */
  SkewClient(int port, String order, long gapNanos) throws IOException, InterruptedException {
    long others = order.chars().filter(c -> c == Frame.LIGHT || c == MIXED).count();
    perSecond = others * 1e9 / gapNanos;
    PrimitiveIterator.OfInt kinds = order.chars().iterator();
    SplittableRandom random = new SplittableRandom(SEED);
    client = new LoadClient(port, order.length(), () -> new Frames(kinds.nextInt(), random));
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

  /** Lets the connections work for a while. Returns what they measured. */
  LoadClient.Result run(long nanos) throws IOException, InterruptedException {
    return client.run(
        d -> d instanceof Frames f && f.kind == Frame.BUSY,
        d -> d instanceof Frames f && (f.kind == Frame.LIGHT || f.kind == MIXED),
        perSecond,
        nanos);
  }

  /** As above. Returns how many requests were answered. */
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
      // What has been computed is nobody's business.
    }
  }
}

package dev.mely.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Clients of a {@link LargeHandler}, on the calling thread. Each reads a piece of a response every
 * 20 ms, and requests the next one after its end.
 */
final class SlowReaders implements AutoCloseable {
  /** Bytes that each client reads at a time. */
  static final int PIECE = 8 * 1024;

  static final long TURN_NANOS = 20_000_000;

  private static final int RECEIVE_BUFFER = 32 * 1024;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final List<Reader> readers = new ArrayList<>();
  private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);

  /**
   * The result of a run.
   *
   * @param bytes received
   * @param times from request to last byte, of complete responses, in nanoseconds
   */
  record Result(long bytes, Histogram times) {}

  /** One connection. */
  private static final class Reader {
    final SocketChannel channel;
    int left;
    long asked;

    Reader(SocketChannel channel) {
      this.channel = channel;
    }

    void ask() throws IOException {
      ByteBuffer one = ByteBuffer.allocate(1);
      while (one.hasRemaining()) {
        channel.write(one);
      }
      left = LargeHandler.BYTES;
      asked = System.nanoTime();
    }
  }

  /** Connects, and sends a request on each connection. */
  SlowReaders(int port, int count) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < count; i++) {
      SocketChannel channel = SocketChannel.open();
      Reader reader = new Reader(channel);
      readers.add(reader);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
      channel.connect(address);
      channel.configureBlocking(false);
      reader.ask();
    }
  }

  /** Reads for a time. */
  Result run(long nanos) throws IOException, InterruptedException {
    Histogram times = new Histogram(3);
    long start = System.nanoTime();
    long last = start;
    long bytes = 0;
    for (long turn = start; turn - start < nanos; turn = System.nanoTime()) {
      long before = bytes;
      for (Reader reader : readers) {
        bytes += read(reader, times);
      }
      long now = System.nanoTime();
      if (bytes > before) {
        last = now;
      } else if (now - last > PATIENCE_NANOS) {
        throw new IOException("nothing has been received for a minute");
      }
      TimeUnit.NANOSECONDS.sleep(Math.max(0, turn + TURN_NANOS - now));
    }
    return new Result(bytes, times);
  }

  private int read(Reader reader, Histogram times) throws IOException {
    int n = reader.channel.read(piece.clear().limit(Math.min(PIECE, reader.left)));
    if (n < 0) {
      throw new IOException("the server has closed a connection");
    }
    reader.left -= n;
    if (reader.left == 0) {
      times.recordValue(System.nanoTime() - reader.asked);
      reader.ask();
    }
    return n;
  }

  @Override
  public void close() throws IOException {
    for (Reader reader : readers) {
      reader.channel.close();
    }
  }
}

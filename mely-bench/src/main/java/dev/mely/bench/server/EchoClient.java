package dev.mely.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/**
 * A closed loop over many connections, on the calling thread: each connection has one message under
 * way, and sends the next when it is back.
 */
final class EchoClient implements AutoCloseable {
  private static final long LOOK_MILLIS = 100;

  private final Selector selector = Selector.open();
  private long back;

  /** Connects, one connection after the other, and sends the first message on each. */
  EchoClient(int port, int connections) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < connections; i++) {
      SocketChannel channel = SocketChannel.open(address);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, new Line(channel));
    }
    for (SelectionKey key : selector.keys()) {
      ((Line) key.attachment()).send();
    }
  }

  /**
   * Exchanges messages for a while.
   *
   * @param nanos how long
   * @param times receives each message's time there and back, in nanoseconds
   * @return messages that came back
   */
  long run(long nanos, Histogram times) throws IOException {
    long start = System.nanoTime();
    back = 0;
    while (System.nanoTime() - start < nanos) {
      selector.select(key -> receive((Line) key.attachment(), times), LOOK_MILLIS);
    }
    return back;
  }

  private void receive(Line line, Histogram times) {
    try {
      long took = line.receive();
      if (took >= 0) {
        times.recordValue(took);
        back++;
        line.send();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }

  /** One connection. */
  private static final class Line {
    private final SocketChannel channel;
    private final ByteBuffer frame = Frame.of(Frame.LIGHT);
    private long sent;

    Line(SocketChannel channel) {
      this.channel = channel;
    }

    void send() throws IOException {
      sent = System.nanoTime();
      while (frame.hasRemaining()) {
        channel.write(frame);
      }
      frame.clear();
    }

    /** Returns how long the message took, or -1 if it is not all back yet. */
    long receive() throws IOException {
      if (channel.read(frame) < 0) {
        throw new IOException("the server has closed a connection");
      }
      if (frame.hasRemaining()) {
        return -1;
      }
      frame.flip();
      return System.nanoTime() - sent;
    }
  }
}

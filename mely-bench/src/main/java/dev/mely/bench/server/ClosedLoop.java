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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * A closed loop over many connections, on the calling thread: each connection has one request under
 * way, and sends the next when the answer has come and has been found right.
 */
final class ClosedLoop implements AutoCloseable {
  private static final long PATIENCE_MILLIS = 10_000;

  private final Selector selector = Selector.open();

  // Of the run under way.
  private Histogram times = new Histogram(3);
  private long start;
  private long nanos;
  private int underWay;

  /**
   * Connects, one connection after the other.
   *
   * @param exchanges makes what each says
   */
  ClosedLoop(int port, int connections, Supplier<? extends Exchange> exchanges) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < connections; i++) {
      SocketChannel channel = SocketChannel.open(address);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, new Line(channel, exchanges.get()));
    }
  }

  /**
   * Exchanges messages for a while, and waits for the last answers.
   *
   * @param nanos how long
   * @return each message's time there and back, in nanoseconds
   */
  Histogram run(long nanos) throws IOException {
    return run(nanos, Long.MAX_VALUE);
  }

  /** As above. Returns how many messages came back. */
  double count(long nanos) throws IOException {
    return run(nanos).getTotalCount();
  }

  /**
   * Exchanges so many messages on each connection.
   *
   * @return each message's time there and back, in nanoseconds
   */
  Histogram exchange(long messages) throws IOException {
    return run(Long.MAX_VALUE, messages);
  }

  private Histogram run(long nanos, long messages) throws IOException {
    times = new Histogram(3);
    start = System.nanoTime();
    this.nanos = nanos;
    for (SelectionKey key : selector.keys()) {
      Line line = (Line) key.attachment();
      line.left = messages;
      line.send();
    }
    try {
      while (underWay > 0) {
        int ready = selector.select(key -> receive((Line) key.attachment()), PATIENCE_MILLIS);
        if (ready == 0) {
          throw new IOException(
              underWay
                  + " requests have had no answer for "
                  + TimeUnit.MILLISECONDS.toSeconds(PATIENCE_MILLIS)
                  + " s");
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return times;
  }

  private void receive(Line line) {
    try {
      line.receive();
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
  private final class Line {
    private final SocketChannel channel;
    private final Exchange exchange;
    private final ByteBuffer request;
    private final ByteBuffer reply;
    private long sent;
    private long left;

    Line(SocketChannel channel, Exchange exchange) {
      this.channel = channel;
      this.exchange = exchange;
      this.request = ByteBuffer.allocateDirect(exchange.requestBytes());
      this.reply = ByteBuffer.allocateDirect(exchange.replyBytes());
    }

    void send() throws IOException {
      request.clear();
      exchange.ask(request);
      request.flip();
      left--;
      underWay++;
      sent = System.nanoTime();
      while (request.hasRemaining()) {
        channel.write(request);
      }
    }

    void receive() throws IOException {
      if (channel.read(reply) < 0) {
        throw new IOException("the server has closed a connection");
      }
      if (reply.hasRemaining()) {
        return;
      }
      long now = System.nanoTime();
      times.recordValue(now - sent);
      underWay--;
      reply.flip();
      exchange.check(reply);
      reply.clear();
      if (left > 0 && now - start < nanos) {
        send();
      }
    }
  }
}

package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy: each client gets a connection of its own to the server behind. Both channels of a
 * pair have one color. Either direction reads one buffer ahead and no more, and passes on the end
 * of the stream; a reset of one side resets the other.
 */
final class Proxy {
  private static final int BUFFER = 8 * 1024;

  private static final Handler<Relay> PUMP = Handler.of(Relay::pump);

  final AtomicInteger open = new AtomicInteger();
  final AtomicInteger resets = new AtomicInteger();
  private final Nio nio;
  private final SocketAddress behind;

  Proxy(Nio nio, ServerSocketChannel server, SocketAddress behind) throws IOException {
    this.nio = nio;
    this.behind = behind;
    nio.accept(server, nio.mely().newColor(), Handler.of(this::accepted)).resume();
  }

  private void accepted(SocketChannel client) {
    open.incrementAndGet();
    Color color = nio.mely().newColor();
    nio.connect(behind, color, Handler.of(done -> connected(client, done, color)));
  }

  private void connected(SocketChannel client, Operation<SocketChannel> done, Color color)
      throws IOException {
    SocketChannel server;
    try {
      server = done.get();
    } catch (IOException refused) {
      open.decrementAndGet();
      nio.close(client);
      return;
    }
    Pair pair = new Pair(client, server);
    new Relay(pair, client, server, color).start();
    new Relay(pair, server, client, color).start();
  }

  /** Two channels that live and die together. */
  private final class Pair {
    private final SocketChannel client;
    private final SocketChannel server;
    private int ended;

    Pair(SocketChannel client, SocketChannel server) {
      this.client = client;
      this.server = server;
    }

    void ended() throws IOException {
      if (++ended == 2) {
        close();
      }
    }

    void reset() throws IOException {
      if (!client.isOpen()) {
        return; // the other direction has noticed first
      }
      resets.incrementAndGet();
      for (SocketChannel channel : new SocketChannel[] {client, server}) {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
      }
      close();
    }

    private void close() throws IOException {
      open.decrementAndGet();
      // The other side's selector may be another core's, asleep.
      nio.close(client);
      nio.close(server);
    }
  }

  /** One direction. */
  private final class Relay {
    private final Pair pair;
    private final SocketChannel from;
    private final SocketChannel to;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();
    private final Source in;
    private final Source out;
    private boolean ended;

    Relay(Pair pair, SocketChannel from, SocketChannel to, Color color) throws IOException {
      this.pair = pair;
      this.from = from;
      this.to = to;
      in = nio.readable(from, color, PUMP, this);
      out = nio.writable(to, color, PUMP, this);
    }

    void start() {
      in.resume();
    }

    void pump() throws IOException {
      try {
        if (!buffer.hasRemaining() && !ended) {
          buffer.clear();
          ended = from.read(buffer) < 0;
          buffer.flip();
        }
        to.write(buffer);
        if (buffer.hasRemaining()) {
          in.pause();
          out.resume();
        } else if (ended) {
          in.cancel();
          out.cancel();
          to.shutdownOutput();
          pair.ended();
        } else {
          out.pause();
          in.resume();
        }
      } catch (IOException e) {
        pair.reset();
      }
    }
  }
}

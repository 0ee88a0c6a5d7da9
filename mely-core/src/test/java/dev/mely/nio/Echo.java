package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An echo server with back-pressure: reads no more than one buffer ahead of what it has written,
 * and ends its side when the client has ended its own.
 */
final class Echo {
  static final int BUFFER = 16 * 1024;

  private static final Handler<Connection> READ = Handler.of(Connection::read);
  private static final Handler<Connection> WRITE = Handler.of(Connection::write);

  final AtomicInteger open = new AtomicInteger();
  final AtomicInteger accepted = new AtomicInteger();
  final AtomicInteger resets = new AtomicInteger();
  final AtomicLong shortWrites = new AtomicLong();
  final AtomicLong writables = new AtomicLong();
  final Color color;
  final Source accepting;
  private final Nio nio;

  Echo(Nio nio, ServerSocketChannel server) throws IOException {
    this.nio = nio;
    color = nio.mely().newColor();
    accepting = nio.accept(server, color, Handler.of(this::accepted)).resume();
  }

  private void accepted(SocketChannel client) throws IOException {
    open.incrementAndGet();
    accepted.incrementAndGet();
    new Connection(client).start();
  }

  /** All fields are plain: they belong to the color. */
  private final class Connection {
    private final SocketChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private final Source in;
    private final Source out;
    private boolean inside;
    private boolean ended;

    Connection(SocketChannel channel) throws IOException {
      this.channel = channel;
      Color own = nio.mely().newColor();
      in = nio.readable(channel, own, READ, this);
      out = nio.writable(channel, own, WRITE, this);
    }

    void start() {
      in.resume();
    }

    void read() throws IOException {
      enter();
      try {
        int n = channel.read(buffer);
        if (n < 0) {
          ended = true;
          in.cancel();
        }
        buffer.flip();
        drain();
      } catch (IOException e) {
        close(e);
      } finally {
        inside = false;
      }
    }

    void write() throws IOException {
      enter();
      writables.incrementAndGet();
      try {
        drain();
      } catch (IOException e) {
        close(e);
      } finally {
        inside = false;
      }
    }

    /** The buffer is in reading position; it is left in writing position if it is empty. */
    private void drain() throws IOException {
      channel.write(buffer);
      if (buffer.hasRemaining()) {
        shortWrites.incrementAndGet();
        in.pause();
        out.resume();
        return;
      }
      buffer.clear();
      if (ended) {
        channel.shutdownOutput();
        close(null);
      } else {
        out.pause();
        in.resume();
      }
    }

    private void enter() {
      if (inside) {
        throw new AssertionError("two events of one color overlap");
      }
      inside = true;
    }

    private void close(IOException reset) throws IOException {
      if (reset != null) {
        resets.incrementAndGet();
      }
      channel.close();
      open.decrementAndGet();
    }
  }
}

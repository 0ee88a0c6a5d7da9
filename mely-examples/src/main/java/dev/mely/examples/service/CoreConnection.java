package dev.mely.examples.service;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Timer;
import dev.mely.nio.Nio;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A connection on {@code dev.mely.nio}: a color, to which all of it belongs, a source of input, and
 * an output.
 */
public class CoreConnection extends ServedConnection {
  // One handler for all connections, so that its cost is learned once.
  private static final Handler<CoreConnection> READ =
      Handler.of((CoreConnection c) -> c.guarded(c::read)).named("Read");
  private static final Handler<CoreConnection> DRAINED =
      Handler.of((CoreConnection c) -> c.guarded(c::sent)).named("Drained");
  private static final Handler<CoreConnection> ABORT =
      Handler.of(CoreConnection::abort).named("Abort");
  private static final Handler<CoreConnection> CLOSED =
      Handler.of(CoreConnection::left).named("Left");

  /** Input lives in here during one call, so that a thousand idle connections need no buffers. */
  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  /** What it goes over. */
  protected final SocketChannel channel;

  /** What comes; paused at first. */
  protected final Source in;

  /** What goes, and waits for the client to take it. */
  protected final Output out;

  private final Nio nio;
  private final Color color;
  private boolean reset;
  private @Nullable Timer linger;

  /**
   * Makes one, which does nothing before it is {@linkplain #open opened}.
   *
   * @param nio of the server
   * @param channel in non-blocking mode
   * @param clients of which it is one
   * @throws IOException if the channel is closed
   */
  @SuppressWarnings("this-escape") // both are paused: no event comes before it is opened
  protected CoreConnection(Nio nio, SocketChannel channel, Clients clients) throws IOException {
    super(clients);
    this.nio = nio;
    this.channel = channel;
    color = nio.mely().newColor();
    in = nio.readable(channel, color, READ, this);
    out = nio.output(channel, color, DRAINED, this);
  }

  /**
   * Begins. Any thread: nobody else knows it.
   *
   * @param protocol makes its session
   */
  public final void open(Protocol protocol) {
    open(protocol, in::resume);
  }

  /**
   * Reads from a channel.
   *
   * @param channel in non-blocking mode
   * @return what has come, in a buffer that belongs to the thread and holds it until the next call;
   *     null: the end
   * @throws IOException if the connection is broken
   */
  public static @Nullable ByteBuffer read(SocketChannel channel) throws IOException {
    ByteBuffer bytes = INPUT.get().clear();
    return channel.read(bytes) < 0 ? null : bytes.flip();
  }

  private void read() {
    ByteBuffer bytes;
    try {
      bytes = read(channel);
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      breakOff();
      return;
    }
    if (bytes == null) {
      in.cancel();
      inputEnded();
    } else {
      take(bytes);
    }
  }

  private void sent() {
    if (flush()) {
      outputDrained();
    }
  }

  @Override
  final void transmit(ByteBuffer bytes) {
    out.write(bytes);
    flush();
  }

  /**
   * Sends what has been written to the output.
   *
   * @return true if nothing is left to be sent, and the connection is well
   */
  public final boolean flush() {
    if (isClosed()) {
      return false;
    }
    try {
      return out.flush();
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      breakOff();
      return false;
    }
  }

  @Override
  public final long unsent() {
    return out.pending();
  }

  @Override
  public final void pause() {
    in.pause();
  }

  @Override
  public final void resume() {
    in.resume();
  }

  @Override
  final void endOutput() {
    try {
      channel.shutdownOutput();
      linger = nio.mely().schedule(color, ABORT, this, ServiceConfig.LINGER);
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection broke at its end", e);
      abort();
    }
  }

  /** Ends the connection at once, so that what has been sent cannot be taken for all. */
  public final void reset() {
    reset = !isClosed();
    abort();
  }

  @Override
  protected void release() {
    try {
      close(nio, channel, reset); // not always called for an event of this channel
    } finally {
      if (linger != null) {
        linger.cancel(); // it would keep the closed connection in memory
      }
      nio.mely().register(color, CLOSED, this);
    }
  }

  /**
   * Closes a channel, if it is open.
   *
   * @param nio with which it is used
   * @param channel any
   * @param reset whether so that what has been sent cannot be taken for all
   */
  public static void close(Nio nio, SocketChannel channel, boolean reset) {
    try {
      if (reset && channel.isOpen()) {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
      }
    } catch (IOException e) {
      LOG.debug("a connection cannot be reset", e);
    }
    try {
      nio.close(channel);
    } catch (IOException e) {
      LOG.debug("a connection was not closed well", e);
    }
  }

  /** Returns what it is served with. */
  public final Nio nio() {
    return nio;
  }

  /** Returns its color. */
  public final Color color() {
    return color;
  }

  /** Returns whether it is {@linkplain #reset ended by a reset}. */
  protected final boolean isReset() {
    return reset;
  }

  @Override
  public final void execute(Runnable task) {
    nio.mely().execute(color, () -> guarded(task));
  }
}

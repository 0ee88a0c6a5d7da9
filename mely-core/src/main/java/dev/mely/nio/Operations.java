package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;

/**
 * Starts what ends once, with a result: connections, and calls that block, for which there are
 * helper threads. {@link Nio} says what each does, and checks colors and handlers. Thread-safe.
 */
final class Operations {
  private final Mely mely;
  private final Selectors selectors;
  private final Helpers lookups;
  private final Helpers calls;

  Operations(Mely mely, Selectors selectors, Helpers lookups, Helpers calls) {
    this.mely = mely;
    this.selectors = selectors;
    this.lookups = lookups;
    this.calls = calls;
  }

  /** Opens a channel and connects it. */
  Operation<SocketChannel> connect(
      SocketAddress remote, Color color, Handler<? super Operation<SocketChannel>> handler) {
    SocketChannel channel;
    try {
      channel = Connect.open(remote);
    } catch (IOException e) {
      StartedOperation<SocketChannel> failed = new StartedOperation<>(mely, color, handler);
      failed.fail(e);
      return failed;
    }
    boolean started = false;
    try {
      Operation<SocketChannel> connect = connect(channel, remote, color, handler);
      started = true;
      return connect;
    } catch (ClosedChannelException e) {
      throw new AssertionError("nobody else knows this channel", e);
    } finally {
      if (!started) {
        selectors.closeQuietly(channel);
      }
    }
  }

  /** Connects a channel of the caller's. */
  Operation<SocketChannel> connect(
      SocketChannel channel,
      SocketAddress remote,
      Color color,
      Handler<? super Operation<SocketChannel>> handler)
      throws ClosedChannelException {
    ChannelKey key = selectors.register(channel, color);
    Connect connect = new Connect(mely, color, handler, channel, key);
    connect.start(remote);
    return connect;
  }

  /** Makes a call among the lookups, so that silent name servers hold up nothing else. */
  <T> Operation<T> lookup(
      Callable<? extends T> call, Color color, Handler<? super Operation<T>> handler) {
    return start(lookups, call, color, handler);
  }

  /** Makes any other call that blocks. */
  <T> Operation<T> call(
      Callable<? extends T> call, Color color, Handler<? super Operation<T>> handler) {
    return start(calls, call, color, handler);
  }

  private <T> Operation<T> start(
      Helpers helpers,
      Callable<? extends T> call,
      Color color,
      Handler<? super Operation<T>> handler) {
    StartedOperation<T> operation = new StartedOperation<>(mely, color, handler);
    helpers.start(operation, call);
    return operation;
  }

  /** Reads from a file. */
  Operation<Integer> read(
      FileChannel file,
      ByteBuffer target,
      long position,
      Color color,
      Handler<? super Operation<Integer>> handler)
      throws ClosedChannelException {
    if (position < 0) {
      throw new IllegalArgumentException("position must not be negative, but is " + position);
    }
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("the buffer is read-only: " + target);
    }
    if (!file.isOpen()) {
      throw new ClosedChannelException();
    }
    return call(() -> file.read(target, position), color, handler);
  }

  /** Helper threads end after the calls that they are in. */
  void close() {
    lookups.close();
    calls.close();
  }
}

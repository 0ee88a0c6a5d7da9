package dev.mely.examples.sws;

import dev.mely.examples.service.ServiceConfig;
import dev.mely.nio.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection of {@link SwsCoreServer} on their way from the client: read while
 * there is room for them, and dropped behind the last one. Belongs to the connection's color.
 */
final class CoreRequests {
  /** Input lives in here during one call, so that idle connections hold no buffers. */
  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  private final SocketChannel channel;
  private final Source in;
  private final RequestReader reader = new RequestReader();
  private boolean over;
  private long dropped;
  private long count;

  /** Begins paused. */
  CoreRequests(SocketChannel channel, Source in) {
    this.channel = channel;
    this.in = in;
  }

  /** No event comes until {@link #resume}. */
  void pause() {
    in.pause();
  }

  /** An event comes when there is something to read. */
  void resume() {
    in.resume();
  }

  /**
   * Takes what has come.
   *
   * @throws IOException if the connection is broken
   */
  void read() throws IOException {
    reader.feed(receive());
  }

  /**
   * Drops what has come.
   *
   * @return false: it is too much by now
   * @throws IOException if the connection is broken
   */
  boolean drop() throws IOException {
    dropped += receive().remaining();
    return dropped <= ServiceConfig.LINGER_BYTES;
  }

  private ByteBuffer receive() throws IOException {
    ByteBuffer bytes = INPUT.get().clear();
    if (channel.read(bytes) < 0) {
      over = true;
      in.cancel();
    }
    return bytes.flip();
  }

  /** The next request that is complete; null: more bytes are needed. */
  @Nullable Request next() {
    Request next = reader.next();
    count += next == null ? 0 : 1;
    return next;
  }

  /** How many were complete. */
  long count() {
    return count;
  }

  /** Whether the client waits to be told that it may send its body; true once. */
  boolean takeContinue() {
    return reader.takeContinue();
  }

  /** Whether the client has begun a request and not ended it, or sent others behind it. */
  boolean hasUnread() {
    return reader.hasUnread();
  }

  /** Whether the client has ended its output. */
  boolean isOver() {
    return over;
  }
}

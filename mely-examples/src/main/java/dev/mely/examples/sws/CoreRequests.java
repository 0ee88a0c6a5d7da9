package dev.mely.examples.sws;

import dev.mely.examples.service.CoreConnection;
import dev.mely.examples.service.ServiceConfig;
import dev.mely.nio.Source;
import dev.mely.stage.Stages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection of {@link SwsCoreServer} on their way from the client: read while
 * there is room for them, and dropped behind the last one. Belongs to the connection's color.
 */
final class CoreRequests extends RequestReader {
  /** What stages know the bytes by that have come and are not taken. */
  static final String OBJECT = "request";

  private final SocketChannel channel;
  private final Source in;
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
    int before = capacity();
    feed(receive());
    if (capacity() > before) {
      // The smaller one is the collector's, and not counted.
      Stages.allocated(OBJECT, capacity(), 1);
    }
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
    ByteBuffer bytes = CoreConnection.read(channel);
    if (bytes != null) {
      return bytes;
    }
    over = true;
    in.cancel();
    return ByteBuffer.allocate(0);
  }

  @Override
  @Nullable Request next() {
    int before = capacity();
    Request next = super.next();
    if (capacity() == 0 && before > 0) {
      Stages.freed(OBJECT, before);
    }
    count += next == null ? 0 : 1;
    return next;
  }

  /** How many were complete. */
  long count() {
    return count;
  }

  /** Whether the client has ended its output. */
  boolean isOver() {
    return over;
  }
}

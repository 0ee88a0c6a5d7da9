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
 * The input of one connection of {@link SwsCoreServer}: read while there is room, and dropped after
 * the last request. Belongs to the connection's color.
 */
final class CoreRequests extends RequestReader {
  /** Stages' name for the unread input. */
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
   * Reads input.
   *
   * @throws IOException if the connection is broken
   */
  void read() throws IOException {
    int before = capacity();
    feed(receive());
    if (capacity() > before) {
      // The smaller buffer that it replaces is garbage, and not counted as freed.
      Stages.allocated(OBJECT, capacity(), 1);
    }
  }

  /**
   * Reads input and drops it.
   *
   * @return false if that exceeds the limit
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

  /** How many requests were complete. */
  long count() {
    return count;
  }

  /** Whether the client has ended its output. */
  boolean isOver() {
    return over;
  }
}

package dev.mely.examples.proxy;

import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * One direction of a tunnel. Does not read while output is pending; forwards the end of the input
 * after all data. Belongs to the color of the client's connection.
 */
final class Pipe {
  private final Source in;
  private final SocketChannel to;
  private final Output out;
  private boolean ended;
  private boolean over;
  private long moved;

  Pipe(Source in, SocketChannel to, Output out) {
    this.in = in;
    this.to = to;
    this.out = out;
  }

  /** Forwards data; the caller keeps the buffer. */
  void take(ByteBuffer bytes) throws IOException {
    moved += bytes.remaining();
    out.write(ByteBuffer.allocate(bytes.remaining()).put(bytes).flip());
    drained();
  }

  /** The input has ended. */
  void end() throws IOException {
    ended = true;
    drained();
  }

  /** The output may have become empty, or has failed. */
  void drained() throws IOException {
    out.flush();
    if (ended) {
      if (out.pending() == 0 && !over) {
        over = true;
        to.shutdownOutput();
      }
    } else if (out.pending() > 0) {
      in.pause();
    } else {
      in.resume();
    }
  }

  /** Whether the end has been forwarded. */
  boolean isOver() {
    return over;
  }

  /** How many bytes have been forwarded; unchanged if idle. */
  long moved() {
    return moved - out.pending();
  }
}

package dev.mely.examples.proxy;

import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * One direction of a tunnel. Nothing is read while something waits to be written; the end of the
 * input is passed on when all before it has left. Belongs to the color of the client's connection.
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

  /** Passes on what has come, which the caller keeps. */
  void take(ByteBuffer bytes) throws IOException {
    moved += bytes.remaining();
    out.write(ByteBuffer.allocate(bytes.remaining()).put(bytes).flip());
    drained();
  }

  /** Nothing more will come. */
  void end() throws IOException {
    ended = true;
    drained();
  }

  /** The output has sent all it had, or has failed; or it has more to send. */
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

  /** Whether the end has been passed on. */
  boolean isOver() {
    return over;
  }

  /** How much has gone through: it changes as long as something moves. */
  long moved() {
    return moved - out.pending();
  }
}

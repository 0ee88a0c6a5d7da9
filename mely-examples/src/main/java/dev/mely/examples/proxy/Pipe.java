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
  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  private final SocketChannel from;
  private final Source in;
  private final SocketChannel to;
  private final Output out;
  private boolean ended;
  private boolean over;
  private long moved;

  Pipe(SocketChannel from, Source in, SocketChannel to, Output out) {
    this.from = from;
    this.in = in;
    this.to = to;
    this.out = out;
  }

  /** Begins with what has come already. */
  void start(ByteBuffer first, boolean inputOver) throws IOException {
    ended = inputOver;
    out.write(first);
    out.flush();
    goOn();
  }

  /** The channel can be read. */
  void read() throws IOException {
    ByteBuffer bytes = INPUT.get().clear();
    int n = from.read(bytes);
    if (n < 0) {
      ended = true;
      in.cancel();
    } else {
      moved += n;
      bytes.flip();
      out.write(ByteBuffer.allocate(n).put(bytes).flip());
      out.flush();
    }
    goOn();
  }

  /** The output has sent all it had, or has failed. */
  void drained() throws IOException {
    out.flush();
    goOn();
  }

  private void goOn() throws IOException {
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

  /** How much has gone through, for whoever looks for movement. */
  long moved() {
    return moved - out.pending();
  }
}

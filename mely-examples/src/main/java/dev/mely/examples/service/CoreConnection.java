package dev.mely.examples.service;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Timer;
import dev.mely.nio.Nio;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection on {@code dev.mely.nio}: a color, a source of input, and an output. */
final class CoreConnection implements Connection, Clients.Member {
  private static final Logger LOG = LoggerFactory.getLogger(CoreConnection.class);

  // One handler for all connections, so that its cost is learned once.
  private static final Handler<CoreConnection> READ = Handler.named("Read", CoreConnection::read);
  private static final Handler<CoreConnection> DRAINED =
      Handler.named("Drained", CoreConnection::drained);
  private static final Handler<CoreConnection> ABORT =
      Handler.named("Abort", CoreConnection::abort);
  private static final Handler<CoreConnection> CLOSED = Handler.named("Left", CoreConnection::left);

  /** Input lives in here during one call, so that a thousand idle connections need no buffers. */
  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  private final Nio nio;
  private final SocketChannel channel;
  private final Clients clients;
  private final Color color;
  private final Source in;
  private final Output out;

  // All that follows belongs to the color, once the connection is open.
  @SuppressWarnings("NullAway.Init")
  private Session session;

  /** The client has ended its output. */
  private boolean inputOver;

  /** The session has been told that nothing more comes: what comes is dropped. */
  private boolean told;

  private boolean finishing;
  private boolean closed;
  private long received;
  private long sent;
  private long dropped;
  private final Idleness idleness = new Idleness();
  private @Nullable Timer linger;

  CoreConnection(Nio nio, SocketChannel channel, Clients clients) throws IOException {
    this.nio = nio;
    this.channel = channel;
    this.clients = clients;
    color = nio.mely().newColor();
    in = nio.readable(channel, color, READ, this);
    out = nio.output(channel, color, DRAINED, this);
  }

  void open(Protocol protocol) {
    session = protocol.open(this);
    boolean begun = false;
    try {
      clients.add(this);
      execute(in::resume); // in its own color, where a fault ends it
      begun = true;
    } finally {
      if (!begun) {
        clients.forget(this);
      }
    }
  }

  // ---- Events

  private void read() {
    guarded(this::readSome);
  }

  private void readSome() {
    ByteBuffer bytes = INPUT.get().clear();
    int n;
    try {
      n = channel.read(bytes);
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      abort();
      return;
    }
    received += Math.max(0, n);
    if (n < 0) {
      in.cancel();
      inputOver = true;
      if (!finishing) {
        tell();
      } else if (out.pending() == 0) {
        abort();
      }
    } else if (told) {
      dropped += n;
      if (dropped > ServiceConfig.LINGER_BYTES) {
        abort();
      }
    } else {
      session.received(bytes.flip());
    }
  }

  private void tell() {
    if (!told && !closed) {
      told = true;
      session.ended();
    }
  }

  private void drained() {
    guarded(
        () -> {
          if (flush()) {
            if (finishing) {
              end();
            } else {
              session.drained();
            }
          }
        });
  }

  /** A fault, of whatever kind, costs its connection: nobody waits for an answer for ever. */
  private void guarded(Runnable call) {
    boolean done = false;
    try {
      call.run();
      done = true;
    } finally {
      if (!done) {
        abort();
      }
    }
  }

  // ---- Connection

  @Override
  public void send(ByteBuffer bytes) {
    if (!closed && !finishing) {
      sent += bytes.remaining();
      out.write(bytes);
      flush();
    }
  }

  /** Returns true if nothing is left to be sent, and the connection is well. */
  private boolean flush() {
    try {
      return out.flush();
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      abort();
      return false;
    }
  }

  @Override
  public long unsent() {
    return out.pending();
  }

  @Override
  public void pause() {
    in.pause();
  }

  @Override
  public void resume() {
    in.resume();
  }

  @Override
  public void finish() {
    if (closed || finishing) {
      return;
    }
    finishing = true;
    told = true;
    in.resume(); // what comes is dropped
    if (out.pending() == 0) {
      end();
    }
  }

  /** All has been sent: a close with unread input would destroy it on the way. */
  private void end() {
    if (inputOver) {
      abort();
      return;
    }
    try {
      channel.shutdownOutput();
      linger = nio.mely().schedule(color, ABORT, this, ServiceConfig.LINGER);
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection broke at its end", e);
      abort();
    }
  }

  @Override
  public void abort() {
    if (closed) {
      return;
    }
    closed = true;
    if (linger != null) {
      linger.cancel();
    }
    try {
      nio.close(channel); // not always called for an event of this channel
    } catch (IOException e) {
      LOG.debug("a connection was not closed well", e);
    } finally {
      clients.leave(this);
      // Not from within a call of the session.
      nio.mely().register(color, CLOSED, this);
    }
  }

  private void lookNow() {
    if (!closed && idleness.isOver(received + sent - out.pending())) {
      LOG.debug("a connection is idle");
      abort();
    }
  }

  private void left() {
    session.closed();
  }

  @Override
  public void execute(Runnable task) {
    nio.mely().execute(color, () -> guarded(task));
  }

  // ---- Any thread

  @Override
  public void stop() {
    execute(this::tell);
  }

  @Override
  public void kill() {
    execute(this::abort);
  }

  @Override
  public void look() {
    execute(this::lookNow);
  }
}

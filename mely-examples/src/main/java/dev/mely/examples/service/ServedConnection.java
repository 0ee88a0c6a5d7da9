package dev.mely.examples.service;

import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life cycle of a connection on either transport: what its session is told, what is dropped,
 * and how it ends. Belongs to the connection's color once it is open.
 */
abstract class ServedConnection implements Connection, Clients.Member {
  static final Logger LOG = LoggerFactory.getLogger(ServedConnection.class);

  private final Clients clients;
  private final Idleness idleness = new Idleness();

  @SuppressWarnings("NullAway.Init") // set by open, the first call
  private Session session;

  /** The client has ended its output. */
  private boolean inputOver;

  /** The session has been told that its input has ended: further input is dropped. */
  private boolean told;

  private boolean finishing;
  private boolean closed;
  private long received;
  private long sent;
  private long dropped;

  ServedConnection(Clients clients) {
    this.clients = clients;
  }

  // ---- Per transport

  /** Sends bytes, after those sent before. */
  abstract void transmit(ByteBuffer bytes);

  /** Ends the output, and {@linkplain #abort aborts} if that fails or after {@code LINGER}. */
  abstract void endOutput();

  /** Closes the channel, and calls {@link #left} later, never within a call of the session. */
  protected abstract void release();

  /** Whether the client may still be sending when all output is written. */
  protected boolean lingers() {
    return true;
  }

  /** Ends the connection at once, possibly in the middle of an answer. */
  protected void breakOff() {
    abort();
  }

  // ---- Events

  /** Adds the connection to its clients and starts it. */
  final void open(Protocol protocol, Runnable listening) {
    session = protocol.open(this);
    clients.add(this, listening);
  }

  /** The client has sent something. */
  final void take(ByteBuffer bytes) {
    received += bytes.remaining();
    if (!told) {
      session.received(bytes);
      return;
    }
    dropped += bytes.remaining();
    if (dropped > ServiceConfig.LINGER_BYTES) {
      abort();
    }
  }

  /** The client has ended its output; called again, this does nothing. */
  final void inputEnded() {
    if (inputOver) {
      return;
    }
    inputOver = true;
    if (!finishing) {
      tell();
    } else if (unsent() == 0) {
      abort();
    }
  }

  private void tell() {
    if (!told && !closed) {
      told = true;
      session.ended();
    }
  }

  /** All pending output has been written. */
  final void outputDrained() {
    if (finishing) {
      end();
    } else {
      session.drained();
    }
  }

  /** The channel is closed: the last event. */
  final void left() {
    session.closed();
  }

  /**
   * Makes a call. An exception or error aborts this connection, so that its client does not wait
   * forever, and no other one.
   *
   * @param call in the connection's color
   */
  public final void guarded(Runnable call) {
    try {
      call.run();
    } catch (Throwable t) {
      breakOff();
      throw t;
    }
  }

  /** Returns whether it has ended. */
  public final boolean isClosed() {
    return closed;
  }

  /** Returns whether it ends once all output is written. */
  protected final boolean isFinishing() {
    return finishing;
  }

  /** Returns whether the client has ended its output. */
  protected final boolean isInputOver() {
    return inputOver;
  }

  // ---- Connection

  @Override
  public final void send(ByteBuffer bytes) {
    if (!closed && !finishing) {
      sent += bytes.remaining();
      transmit(bytes);
    }
  }

  @Override
  public final void finish() {
    if (closed || finishing) {
      return;
    }
    finishing = true;
    told = true;
    pause();
    if (unsent() == 0) {
      end();
    }
  }

  /**
   * Called when all is written. Closing with unread input would reset the connection, and the
   * client could lose the end of its answer.
   */
  private void end() {
    if (inputOver || !lingers()) {
      abort();
    } else {
      endOutput();
      resume(); // further input is dropped
    }
  }

  @Override
  public final void abort() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      release();
    } finally {
      clients.leave(this);
    }
  }

  private void lookNow() {
    if (!closed && idleness.isOver(received + sent - unsent())) {
      LOG.debug("a connection is idle");
      abort();
    }
  }

  // ---- Any thread

  @Override
  public void stop() {
    execute(this::tell);
  }

  @Override
  public final void kill() {
    execute(this::breakOff);
  }

  @Override
  public final void look() {
    execute(this::lookNow);
  }
}

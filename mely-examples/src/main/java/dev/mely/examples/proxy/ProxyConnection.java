package dev.mely.examples.proxy;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Timer;
import dev.mely.examples.service.Clients;
import dev.mely.examples.service.ServiceConfig;
import dev.mely.examples.sws.RequestRules;
import dev.mely.nio.Nio;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection. One request at a time goes round, and while it does nothing is read, so
 * that a client takes a bounded amount of memory, whatever it does:
 *
 * <pre>
 *               +--- more has come ------------------------------------+
 *               v                                                      |
 *   READ --> PARSE --> Exchange: the cache, the origin --> responded, settled --> finish, close
 *     ^         |  +-> Tunnel: until both sides have ended
 *     +- no more
 * </pre>
 *
 * <p>All that has a part in it, the origin's connection included, is of one color; the cache is
 * not. All fields belong to that color, once the connection is open.
 */
final class ProxyConnection implements Clients.Member {
  private static final Logger LOG = LoggerFactory.getLogger(ProxyConnection.class);

  // One handler for all connections, so that its cost is learned once.
  private static final Handler<ProxyConnection> READ = handler("Read", ProxyConnection::read);
  private static final Handler<ProxyConnection> PARSE = handler("Parse", ProxyConnection::parse);
  private static final Handler<ProxyConnection> DRAINED =
      handler("Drained", ProxyConnection::drained);
  private static final Handler<ProxyConnection> DRAIN = handler("Drain", ProxyConnection::drain);
  private static final Handler<ProxyConnection> CLOSE = handler("Close", ProxyConnection::close);
  private static final Handler<ProxyConnection> RESET = handler("Reset", ProxyConnection::reset);

  /** Input lives in here during one call, so that a thousand idle connections need no buffers. */
  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  private final ProxyServer server;
  private final SocketChannel channel;
  private final Color color;
  private final Source in;
  private final Output out;
  private final Patience patience;
  private final HeadReader reader =
      new HeadReader(RequestRules.MAX_LINE, RequestRules.MAX_HEADER, true);

  private @Nullable Exchange exchange;
  private @Nullable Tunnel tunnel;

  /** Nothing is under way: more is waited for from the client. */
  private boolean idle = true;

  /** The response of the exchange has been written; it may still have to be settled. */
  private boolean responded = true;

  private boolean inputOver;
  private boolean draining;

  /** The last response has been written. */
  private boolean ending;

  /** The client may still be sending: a close with unread input would destroy that response. */
  private boolean lingering;

  private boolean closed;
  private long dropped;
  private @Nullable Timer linger;

  private long written;
  private long seen;

  ProxyConnection(ProxyServer server, SocketChannel channel) throws IOException {
    this.server = server;
    this.channel = channel;
    Nio nio = server.nio();
    color = nio.mely().newColor();
    in = nio.readable(channel, color, READ, this);
    out = nio.output(channel, color, DRAINED, this);
    patience =
        new Patience(
            nio.mely(), color, server.config().idleTimeout(), () -> guarded(this::lookForMovement));
  }

  private static Handler<ProxyConnection> handler(String stage, Consumer<ProxyConnection> step) {
    return Handler.named(stage, connection -> connection.guarded(() -> step.accept(connection)));
  }

  /** Begins to listen. Any thread: nobody else knows it. */
  void open() {
    patience.start();
    server.clients().add(this);
    in.resume();
  }

  // ---- Events

  private void read() {
    if (closed) {
      return;
    }
    if (tunnel != null && !ending) {
      tunnel.clientReadable();
      return;
    }
    ByteBuffer bytes = INPUT.get().clear();
    int n;
    try {
      n = channel.read(bytes);
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      close();
      return;
    }
    if (n < 0) {
      inputOver = true;
      in.cancel();
    }
    if (ending) {
      dropped += Math.max(0, n);
      if ((inputOver && out.pending() == 0) || dropped > ServiceConfig.LINGER_BYTES) {
        close();
      }
      return;
    }
    in.pause();
    idle = false;
    reader.feed(bytes.flip());
    parse();
  }

  private void parse() {
    if (closed || ending || tunnel != null || !responded || hasUnsent()) {
      return;
    }
    if (exchange != null && !exchange.isSettled()) {
      return;
    }
    exchange = null;
    if (draining) {
      finish(false);
      return;
    }
    HeadReader.Head head;
    try {
      head = reader.next();
    } catch (Malformed wrong) {
      refuse(Failure.of(wrong), false);
      return;
    }
    if (head == null) {
      if (inputOver) {
        finish(false);
      } else {
        idle = true;
        in.resume();
      }
      return;
    }
    patience.moved();
    try {
      begin(ProxyRequest.parse(head, server.name()));
    } catch (Failure.Refused wrong) {
      refuse(wrong.failure(), head.start().startsWith("HEAD "));
    }
  }

  private void begin(ProxyRequest request) throws Failure.Refused {
    server.countRequest();
    if (!request.isConnect()) {
      Exchange next = new Exchange(this, server, request);
      responded = false;
      exchange = next;
      next.begin();
      return;
    }
    if (!server.config().connectPorts().contains(request.target().port())) {
      throw new Failure.Refused(
          Failure.forbidden("Nobody is connected to port " + request.target().port() + " here."));
    }
    Tunnel made = new Tunnel(server.nio(), this, request.target(), server.config());
    tunnel = made;
    made.start();
  }

  /** What had to wait has been sent, or never will be. */
  private void drained() {
    if (closed) {
      return;
    }
    patience.moved();
    if (tunnel != null && !ending) {
      tunnel.clientDrained();
    } else if (flush()) {
      if (ending) {
        end();
      } else if (exchange != null && !responded) {
        exchange.drained();
      } else {
        parse();
      }
    }
  }

  /** The server stops: what has been asked is answered, and no more. */
  private void drain() {
    draining = true;
    if (idle && !closed && !ending) {
      in.pause();
      finish(false);
    }
  }

  /** Ends a connection on which nothing has moved for a time. */
  private void lookForMovement() {
    if (closed) {
      return;
    }
    long sent = written - out.pending() + (tunnel == null ? 0 : tunnel.moved());
    boolean moved = sent != seen;
    seen = sent;
    boolean elsewhere = tunnel != null ? !tunnel.isOpen() : isOriginsTurn();
    if (moved || elsewhere) {
      patience.start(); // who else is waited for has a time limit of his own
    } else if (tunnel == null && idle && reader.hasUnread()) {
      in.pause();
      refuse(Failure.requestTimeout(), false);
    } else if (tunnel == null && idle) {
      close();
    } else {
      reset();
    }
  }

  private boolean isOriginsTurn() {
    return exchange != null && out.pending() == 0 && !(responded && exchange.isSettled());
  }

  // ---- For the exchange

  void write(ByteBuffer bytes) {
    if (!closed) {
      written += bytes.remaining();
      out.write(bytes);
    }
  }

  /** Returns true if nothing is left to be sent, and the connection is well. */
  boolean flush() {
    if (closed) {
      return false;
    }
    try {
      return out.flush();
    } catch (IOException e) {
      LOG.debug("a connection broke", e);
      close();
      return false;
    }
  }

  /** Whether the client must take something before there is more for it. */
  boolean hasUnsent() {
    return out.pending() > 0;
  }

  /** A response has been written. */
  void responded(boolean keepAlive) {
    responded = true;
    flush();
    patience.moved();
    if (!keepAlive) {
      finish(false);
    } else if (!closed) {
      server.nio().mely().register(color, PARSE, this); // after the others' turn
    }
  }

  /** The exchange is through. */
  void settled() {
    parse();
  }

  /** Answers by itself, and ends the connection. */
  void refuse(Failure failure, boolean toHead) {
    if (closed || ending) {
      return;
    }
    idle = false;
    write(Replies.failure(failure, toHead, false));
    finish(true);
  }

  boolean isDraining() {
    return draining;
  }

  boolean isClosed() {
    return closed;
  }

  Color color() {
    return color;
  }

  // ---- For the tunnel

  SocketChannel channel() {
    return channel;
  }

  Source in() {
    return in;
  }

  Output out() {
    return out;
  }

  ByteBuffer rest() {
    return reader.rest();
  }

  boolean isInputOver() {
    return inputOver;
  }

  // ---- The end

  private void finish(boolean mayStillSend) {
    if (ending || closed) {
      return;
    }
    ending = true;
    idle = false;
    lingering = mayStillSend || reader.hasUnread();
    if (flush()) {
      end();
    }
  }

  private void end() {
    if (!lingering || inputOver) {
      close();
      return;
    }
    if (linger != null) {
      return;
    }
    try {
      channel.shutdownOutput();
      linger = server.nio().mely().schedule(color, CLOSE, this, ServiceConfig.LINGER);
      in.resume(); // what comes is dropped
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection broke at its end", e);
      close();
    }
  }

  /** Ends it so that what has been sent cannot be taken for all. */
  void reset() {
    if (closed) {
      return;
    }
    try {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      LOG.debug("a connection cannot be reset", e);
    }
    close(true);
  }

  void close() {
    close(false);
  }

  private void close(boolean reset) {
    if (closed) {
      return;
    }
    closed = true;
    patience.stop();
    if (linger != null) {
      linger.cancel();
    }
    if (exchange != null) {
      exchange.cancel();
    }
    if (tunnel != null) {
      tunnel.close(reset);
    }
    try {
      server.nio().close(channel);
    } catch (IOException e) {
      LOG.debug("a connection was not closed well", e);
    }
    server.clients().leave(this);
  }

  /** A fault of this program costs its connection, and no other. */
  void guarded(Runnable call) {
    boolean done = false;
    try {
      call.run();
      done = true;
    } finally {
      if (!done) {
        reset();
      }
    }
  }

  // ---- Any thread

  @Override
  public void stop() {
    server.nio().mely().register(color, DRAIN, this);
  }

  @Override
  public void kill() {
    server.nio().mely().register(color, RESET, this);
  }
}

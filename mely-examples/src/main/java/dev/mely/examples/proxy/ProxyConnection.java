package dev.mely.examples.proxy;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import dev.mely.examples.service.Clients;
import dev.mely.examples.service.ServiceConfig;
import dev.mely.nio.Nio;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
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
  private static final Handler<ProxyConnection> RESET = handler("Reset", ProxyConnection::reset);

  /** Input lives in here during one call, so that a thousand idle connections need no buffers. */
  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  private final ProxyServer server;
  private final SocketChannel channel;
  private final Color color;
  private final Object client;
  private final Source in;
  private final Output out;
  private final Patience patience;
  private final Patience linger;
  private final HeadReader<RequestLine> reader = HeadReader.ofRequests();

  private @Nullable Exchange exchange;
  private @Nullable Tunnel tunnel;

  /** The one that may be under way. */
  private @Nullable Dial dial;

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

  private long written;
  private long seen;

  ProxyConnection(ProxyServer server, SocketChannel channel) throws IOException {
    this.server = server;
    this.channel = channel;
    Nio nio = server.nio();
    color = nio.mely().newColor();
    client = Lookups.client(channel.getRemoteAddress());
    in = nio.readable(channel, color, READ, this);
    out = nio.output(channel, color, DRAINED, this);
    patience =
        new Patience(
            nio.mely(), color, server.config().idleTimeout(), () -> guarded(this::lookForMovement));
    linger = new Patience(nio.mely(), color, ServiceConfig.LINGER, () -> guarded(this::close));
  }

  private static Handler<ProxyConnection> handler(String stage, Consumer<ProxyConnection> step) {
    return Handler.named(stage, connection -> connection.guarded(() -> step.accept(connection)));
  }

  /** Begins to listen. Any thread: nobody else knows it. */
  void open() {
    patience.start();
    server.clients().add(this); // from here on it leaves by itself, whatever is thrown
    try {
      in.resume();
    } catch (Throwable t) {
      LOG.error("a connection could not begin", t);
      kill();
    }
  }

  // ---- Events

  private void read() {
    if (closed) {
      return;
    }
    if (tunnel != null && tunnel.isOpen() && !ending) {
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
      if (dial != null) {
        dial.inputOver();
      }
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

  /** Goes on with the next request, if the one before is through. */
  void parse() {
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
    HeadReader.Head<RequestLine> head;
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
    if (!inputOver && !reader.hasUnread()) {
      in.resume(); // once more, to hear of it if the client leaves meanwhile
    }
    try {
      begin(ProxyRequest.parse(head, server.name()));
    } catch (Failure wrong) {
      refuse(wrong, head.start().isHead());
    }
  }

  private void begin(ProxyRequest request) {
    server.countRequest();
    if (!request.isConnect()) {
      Exchange next = new Exchange(this, server, request);
      responded = false;
      exchange = next;
      next.begin();
      return;
    }
    Tunnel made = new Tunnel(server, this, request.target());
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
      finish(false);
    }
  }

  /** Ends a connection on which nothing has moved for a time. */
  private void lookForMovement() {
    if (closed) {
      return;
    }
    long sent = written - out.pending() + (tunnel == null ? 0 : tunnel.moved());
    boolean elsewhere = tunnel != null ? !tunnel.isOpen() : isOriginsTurn();
    boolean moved = sent != seen;
    seen = sent;
    if (moved || elsewhere) {
      patience.start(); // who else is waited for has a time limit of his own
    } else if (tunnel == null && idle && reader.hasUnread()) {
      refuse(Failure.requestTimeout(), false);
    } else if (tunnel == null && idle) {
      close();
    } else {
      reset();
    }
  }

  private boolean isOriginsTurn() {
    return exchange != null && out.pending() == 0 && exchange.isOriginsTurn();
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

  /** Answers by itself, and ends the connection. */
  void refuse(Failure failure, boolean toHead) {
    if (closed || ending) {
      return;
    }
    idle = false;
    write(Replies.failure(failure, toHead, false));
    finish(true);
  }

  /** Tells a dial from now on when the client has ended its output. */
  void dials(Dial begun) {
    dial = begun;
    if (inputOver) {
      begun.inputOver();
    }
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

  /** Who takes a share of the {@link Lookups}. */
  Object client() {
    return client;
  }

  // ---- For the tunnel

  Pipe pipeTo(SocketChannel to, Output output) {
    return new Pipe(channel, in, to, output);
  }

  Pipe pipeFrom(SocketChannel from, Source input) {
    return new Pipe(from, input, channel, out);
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
    in.pause();
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
    try {
      channel.shutdownOutput();
      linger.start();
      in.resume(); // what comes is dropped
    } catch (IOException e) {
      LOG.debug("a connection broke at its end", e);
      close();
    }
  }

  /** Ends it so that what has been sent cannot be taken for all. */
  void reset() {
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
    try {
      patience.stop();
      linger.stop();
      if (exchange != null) {
        exchange.cancel();
      }
      if (tunnel != null) {
        tunnel.close(reset);
      }
    } finally {
      try {
        Sockets.close(server.nio(), channel, reset);
      } finally {
        server.clients().leave(this);
      }
    }
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
    tell(DRAIN);
  }

  @Override
  public void kill() {
    tell(RESET);
  }

  /** Throws nothing: the others are to be told, too. */
  private void tell(Handler<ProxyConnection> what) {
    try {
      server.nio().mely().register(color, what, this);
    } catch (Throwable t) {
      LOG.warn("a connection was not told to end", t);
    }
  }
}

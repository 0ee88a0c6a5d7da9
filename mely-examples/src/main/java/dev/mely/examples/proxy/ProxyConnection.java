package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import dev.mely.examples.service.CoreConnection;
import dev.mely.examples.service.Session;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection, and what is kept of it. One request at a time goes round, and while it
 * does nothing is read, so that a client takes a bounded amount of memory, whatever it does:
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
final class ProxyConnection extends CoreConnection implements Session {
  private static final Handler<ProxyConnection> PARSE =
      Handler.of((ProxyConnection connection) -> connection.guarded(connection::parse))
          .named("Parse");

  private final ProxyServer server;
  private final Object client;
  private final Patience patience;
  private final HeadReader<RequestLine> reader = HeadReader.ofRequests();

  private @Nullable Exchange exchange;
  private @Nullable Tunnel tunnel;

  /** The one that may be under way. */
  private @Nullable Dial dial;

  /** Nothing is under way: more is waited for from the client. */
  private boolean idle = true;

  /** The response of the exchange has been written; it may still have to be settled. */
  private boolean responded = true;

  private boolean draining;

  /** The client may still be sending: a close with unread input would destroy the last response. */
  private boolean lingers;

  private long written;
  private long seen;

  ProxyConnection(ProxyServer server, SocketChannel channel) throws IOException {
    super(server.nio(), channel, server.clients());
    this.server = server;
    client = Lookups.client(channel.getRemoteAddress());
    patience = new Patience(this, this::lookForMovement);
  }

  /** Begins to listen. Any thread: nobody else knows it. */
  void open() {
    patience.start(server.config.idleTimeout());
    open(connection -> this);
  }

  // ---- Events

  @Override
  public void received(ByteBuffer bytes) {
    if (tunnel != null && tunnel.isOpen()) {
      tunnel.clientSent(bytes);
      return;
    }
    pause();
    idle = false;
    reader.feed(bytes);
    parse();
  }

  @Override
  public void ended() {
    if (dial != null) {
      dial.inputOver();
    }
    if (tunnel != null && tunnel.isOpen()) {
      tunnel.clientEnded();
    } else {
      parse();
    }
  }

  /** Goes on with the next request, if the one before is through. */
  void parse() {
    if (isClosed() || isFinishing() || tunnel != null || !responded || hasUnsent()) {
      return;
    }
    if (exchange != null && !exchange.isSettled()) {
      return;
    }
    exchange = null;
    if (draining) {
      end(false);
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
      if (isInputOver()) {
        end(false);
      } else {
        idle = true;
        resume();
      }
      return;
    }
    patience.moved();
    if (!reader.hasUnread()) {
      resume(); // once more, to hear of it if the client leaves meanwhile
    }
    try {
      begin(ProxyRequest.parse(head, server.name));
    } catch (Failure wrong) {
      refuse(wrong, head.start().isHead());
    }
  }

  private void begin(ProxyRequest request) {
    server.requests.increment();
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

  @Override
  public void drained() {
    patience.moved();
    if (tunnel != null) {
      tunnel.clientDrained();
    } else if (exchange != null && !responded) {
      exchange.drained();
    } else {
      parse();
    }
  }

  /** The server stops: what has been asked is answered, and no more. */
  private void drain() {
    draining = true;
    if (idle) {
      end(false);
    }
  }

  /** Ends a connection on which nothing has moved for a time. */
  private void lookForMovement() {
    if (isClosed()) {
      return;
    }
    long sent = written - unsent() + (tunnel == null ? 0 : tunnel.moved());
    boolean elsewhere = tunnel != null ? !tunnel.isOpen() : isOriginsTurn();
    boolean moved = sent != seen;
    seen = sent;
    if (moved || elsewhere) {
      patience.start(server.config.idleTimeout()); // the others have time limits of their own
    } else if (tunnel == null && idle && reader.hasUnread()) {
      refuse(new Failure(408, "The request took too long to come."), false);
    } else if (tunnel == null && idle) {
      abort();
    } else {
      reset();
    }
  }

  private boolean isOriginsTurn() {
    return exchange != null && !hasUnsent() && exchange.isOriginsTurn();
  }

  // ---- For the exchange

  /** Sends with the next flush. */
  void write(ByteBuffer bytes) {
    if (!isClosed()) {
      written += bytes.remaining();
      out.write(bytes);
    }
  }

  /** Whether the client must take something before there is more for it. */
  boolean hasUnsent() {
    return unsent() > 0;
  }

  /** A response has been written. */
  void responded(boolean keepAlive) {
    responded = true;
    flush();
    patience.moved();
    if (!keepAlive) {
      end(false);
    } else if (!isClosed()) {
      nio().mely().register(color(), PARSE, this); // after the others' turn
    }
  }

  /** Answers by itself, and ends the connection. */
  void refuse(Failure failure, boolean toHead) {
    if (!isFinishing()) {
      write(Replies.failure(failure, toHead, false));
      end(true);
    }
  }

  /** Tells a dial from now on when the client has ended its output. */
  void dials(Dial begun) {
    dial = begun;
    if (isInputOver()) {
      begun.inputOver();
    }
  }

  boolean isDraining() {
    return draining;
  }

  /** Who takes a share of the {@link Lookups}. */
  Object client() {
    return client;
  }

  // ---- For the tunnel

  Pipe pipeTo(SocketChannel to, Output output) {
    return new Pipe(in, to, output);
  }

  Pipe pipeFrom(Source input) {
    return new Pipe(input, channel, out);
  }

  /** What the client has sent already. */
  ByteBuffer rest() {
    return reader.rest();
  }

  /** Whether it will send no more. */
  boolean hasEnded() {
    return isInputOver();
  }

  // ---- The end

  private void end(boolean mayStillSend) {
    idle = false;
    lingers |= mayStillSend || reader.hasUnread();
    flush();
    finish();
  }

  @Override
  protected boolean lingers() {
    return lingers;
  }

  @Override
  protected void breakOff() {
    reset();
  }

  @Override
  protected void release() {
    try {
      patience.stop();
      if (exchange != null) {
        exchange.cancel();
      }
      if (tunnel != null) {
        tunnel.close(isReset());
      }
    } finally {
      super.release();
    }
  }

  // ---- Any thread

  @Override
  public void stop() {
    execute(this::drain);
  }
}

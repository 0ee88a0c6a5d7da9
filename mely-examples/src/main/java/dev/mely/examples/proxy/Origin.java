package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.StatusLine;
import dev.mely.examples.service.CoreConnection;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to an origin, for one request. The request asks the origin to close the connection
 * after its response; the response is settled once it has: then no other bytes follow it.
 *
 * <pre>
 *   start -> Dial -> ask -> READ: head, interim ones before it -> READ: content -> completed
 *                                                                                     |
 *                                         settled  <-- READ: end, excess, too late <--+
 * </pre>
 *
 * <p>Belongs to the color of the client's connection.
 */
final class Origin implements Dial.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Origin.class);
  private static final Handler<Origin> READ =
      Handler.of((Origin o) -> o.connection.guarded(o::read)).named("ReadOrigin");

  /** What could not be sent at once has been sent, or will never be: the answer says which. */
  private static final Handler<Origin> SENT = Handler.of((Origin o) -> {}).named("SentToOrigin");

  private static final int MAX_INTERIM = 16;

  /** How long an origin may take to close the connection after its response. */
  private static final Duration TAIL = Duration.ofSeconds(1);

  private final ProxyConnection connection;
  private final boolean head;
  private final ByteBuffer question;
  private final Exchange exchange;
  private final Dial dial;
  private final Duration limit;
  private final Patience patience;
  private final HeadReader<StatusLine> reader = HeadReader.ofResponses();

  private @Nullable SocketChannel channel;
  private @Nullable Source in;
  private @Nullable BodyReader body;
  private int interims;
  private boolean paused;

  /** The response is complete. */
  private boolean complete;

  private boolean closed;

  /**
   * Does nothing until it is started.
   *
   * @param exchange gets the head, the content, completion and settling; or, before completion, a
   *     failure
   */
  Origin(
      ProxyServer server,
      ProxyConnection connection,
      ProxyRequest request,
      ByteBuffer question,
      Exchange exchange) {
    this.connection = connection;
    head = request.isHead();
    this.question = question;
    this.exchange = exchange;
    dial = new Dial(server, connection, request.target(), this);
    limit = server.config.responseTimeout;
    patience = new Patience(connection, this::tooLate);
  }

  void start() {
    dial.start();
  }

  /** Stops reading until {@link #resume}: the client is slower. */
  void pause() {
    paused = true;
    if (in != null) {
      in.pause();
    }
  }

  void resume() {
    paused = false;
    patience.moved();
    if (in != null && !closed) {
      in.resume();
    }
  }

  // ---- Dial.Listener

  @Override
  public void connected(SocketChannel made) {
    channel = made;
    Output out;
    try {
      made.setOption(StandardSocketOptions.TCP_NODELAY, true);
      in = connection.nio().readable(made, connection.color(), READ, this);
      out = connection.nio().output(made, connection.color(), SENT, this);
    } catch (IOException e) {
      LOG.debug("a connection to an origin ended before it began", e);
      broken("has broken the connection");
      return;
    }
    out.write(question);
    try {
      out.flush();
    } catch (IOException e) {
      LOG.debug("an origin did not accept the whole request; it may have answered already", e);
    }
    patience.start(limit);
    in.resume();
  }

  @Override
  public void failed(Failure failure) {
    close();
    exchange.failed(failure);
  }

  // ---- Events

  private void read() {
    if (closed) {
      return;
    }
    ByteBuffer bytes;
    try {
      bytes = CoreConnection.read(Objects.requireNonNull(channel));
    } catch (IOException e) {
      LOG.debug("a connection to an origin broke", e);
      broken("has broken the connection");
      return;
    }
    if (bytes == null) {
      ended();
      return;
    }
    try {
      if (body == null) {
        reader.feed(bytes);
        readHead();
      } else {
        patience.moved();
        readContent(bytes);
      }
    } catch (Malformed wrong) {
      LOG.debug("an origin sent a malformed response", wrong);
      broken("has sent a malformed HTTP response: " + wrong.getMessage());
    }
    if (!closed) {
      exchange.flush();
    }
  }

  private void readHead() throws Malformed {
    while (body == null && !closed) {
      HeadReader.Head<StatusLine> next = reader.next();
      if (next == null) {
        return;
      }
      OriginResponse response = OriginResponse.parse(next);
      if (response.isInterim()) {
        interims++;
        if (response.status() == 101 || interims > MAX_INTERIM) {
          throw new Malformed("it switches protocols, or sends too many interim responses");
        }
        exchange.interim(response);
        continue;
      }
      body = response.body(head);
      patience.moved();
      exchange.answered(response, body);
      if (!closed) {
        readContent(reader.rest());
      }
    }
  }

  private void readContent(ByteBuffer bytes) throws Malformed {
    BodyReader content = Objects.requireNonNull(body);
    if (complete) { // excess data after a complete response
      settle(false);
      return;
    }
    ByteBuffer piece = ByteBuffer.allocate(bytes.remaining()); // one buffer for all chunks
    content.read(bytes, piece::put);
    if (piece.position() > 0) {
      exchange.content(
          piece.hasRemaining() ? Arrays.copyOf(piece.array(), piece.position()) : piece.array());
    }
    if (content.isComplete() && !closed) {
      completed(bytes.hasRemaining());
    }
  }

  private void completed(boolean excess) {
    complete = true;
    if (!exchange.completed()) {
      close();
    } else if (excess) {
      settle(false);
    } else if (!closed) {
      patience.start(TAIL);
      resume();
    }
  }

  private void ended() {
    BodyReader content = body;
    if (content == null) {
      broken("has closed the connection without a response");
    } else if (complete) {
      settle(true);
    } else if (content.close()) {
      complete = true;
      if (exchange.completed()) {
        settle(true);
      }
      close();
    } else {
      broken("has closed the connection within the response");
    }
  }

  private void tooLate() {
    if (complete) {
      settle(false);
    } else if (paused) {
      patience.start(limit); // the client is slow, not the origin
    } else {
      failed(new Failure(504, "The origin did not answer in time."));
    }
  }

  private void broken(String what) {
    if (complete) {
      settle(false);
    } else {
      failed(new Failure(502, "The origin " + what + "."));
    }
  }

  private void settle(boolean clean) {
    if (!closed) {
      try {
        close();
      } finally {
        exchange.settled(clean);
      }
    }
  }

  /** Closes the connection at once; the exchange is not called any more. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    dial.cancel();
    patience.stop();
    if (channel != null) {
      CoreConnection.close(connection.nio(), channel, false);
    }
  }
}

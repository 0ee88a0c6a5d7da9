package dev.mely.examples.proxy;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.StatusLine;
import dev.mely.nio.Nio;
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
 * A connection to an origin, for one request: dialed, asked, and read to its end. It is asked to
 * end the connection behind its response, and a response is settled when it has done so: then
 * nobody else's bytes can stand behind it.
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
  /** What comes of the request: failed, at any time before completed; or all the others. */
  interface Listener {
    /** Runs a step; if it throws, that is a fault of this program, and ends what it is for. */
    void guarded(Runnable step);

    /** A response that is not the last one: 1xx. */
    void interim(OriginResponse response);

    /** The head of the response. */
    void answered(OriginResponse response, BodyReader body);

    /** A piece of its content. */
    void content(byte[] piece);

    /** So much for now: what has been written may leave. */
    void flush();

    /**
     * The content has ended.
     *
     * @return whether to wait until it is settled; if not, the connection is closed at once
     */
    boolean completed();

    /** There is no response, or no more of it. */
    void failed(Failure failure);

    /**
     * After completed, if that wanted it.
     *
     * @param clean whether the origin has ended the connection behind its response, and sent
     *     nothing else
     */
    void settled(boolean clean);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Origin.class);
  private static final Handler<Origin> READ = Handler.named("ReadOrigin", o -> o.guarded(o::read));

  /** What could not be sent at once has been sent, or will never be: the answer says which. */
  private static final Handler<Origin> SENT = Handler.named("SentToOrigin", o -> {});

  private static final int MAX_INTERIM = 16;

  /** How long an origin may take to end the connection behind its response. */
  private static final Duration TAIL = Duration.ofSeconds(1);

  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  private final Nio nio;
  private final Color color;
  private final boolean head;
  private final ByteBuffer question;
  private final Listener listener;
  private final Dial dial;
  private final Patience patience;
  private final Patience tail;
  private final HeadReader<StatusLine> reader = HeadReader.ofResponses();

  private @Nullable SocketChannel channel;
  private @Nullable Source in;
  private @Nullable BodyReader body;
  private int interims;
  private boolean paused;

  /** All of the response has come. */
  private boolean complete;

  private boolean closed;

  /** Does nothing yet. */
  Origin(
      ProxyServer server,
      ProxyConnection connection,
      ProxyRequest request,
      ByteBuffer question,
      Listener listener) {
    nio = server.nio();
    color = connection.color();
    this.head = request.isHead();
    this.question = question;
    this.listener = listener;
    Duration limit = server.config().responseTimeout();
    dial = new Dial(server, connection, request.target(), this);
    patience = new Patience(nio.mely(), color, limit, () -> guarded(this::tooLate));
    tail = new Patience(nio.mely(), color, TAIL, () -> guarded(() -> settle(false)));
  }

  void start() {
    dial.start();
  }

  /** Reads nothing more until {@link #resume}: the client does not take it. */
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
      in = nio.readable(made, color, READ, this);
      out = nio.output(made, color, SENT, this);
    } catch (IOException e) {
      LOG.debug("a connection to an origin ended before it began", e);
      broken("has broken the connection");
      return;
    }
    out.write(question);
    try {
      out.flush();
    } catch (IOException e) {
      LOG.debug("an origin did not take the request; perhaps it has answered", e);
    }
    patience.start();
    in.resume();
  }

  @Override
  public void failed(Failure failure) {
    close();
    listener.failed(failure);
  }

  // ---- Events

  private void read() {
    if (closed) {
      return;
    }
    ByteBuffer bytes = INPUT.get().clear();
    int n;
    try {
      n = Objects.requireNonNull(channel).read(bytes);
    } catch (IOException e) {
      LOG.debug("a connection to an origin broke", e);
      broken("has broken the connection");
      return;
    }
    if (n < 0) {
      ended();
      return;
    }
    bytes.flip();
    try {
      if (body == null) {
        reader.feed(bytes);
        readHead();
      } else {
        patience.moved();
        readContent(bytes);
      }
    } catch (Malformed wrong) {
      LOG.debug("an origin sent what is no response", wrong);
      broken("has sent what is no HTTP response: " + wrong.getMessage());
    }
    if (!closed) {
      listener.flush();
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
          throw new Malformed("it goes on in another protocol, or never comes to the point");
        }
        listener.interim(response);
        continue;
      }
      body = response.body(head);
      patience.moved();
      listener.answered(response, body);
      if (!closed) {
        readContent(reader.rest());
      }
    }
  }

  private void readContent(ByteBuffer bytes) throws Malformed {
    BodyReader content = Objects.requireNonNull(body);
    if (complete) { // it is complete, and this is more than there may be
      settle(false);
      return;
    }
    ByteBuffer piece = ByteBuffer.allocate(bytes.remaining()); // one, however many chunks they are
    content.read(bytes, piece::put);
    if (piece.position() > 0) {
      listener.content(
          piece.hasRemaining() ? Arrays.copyOf(piece.array(), piece.position()) : piece.array());
    }
    if (content.isComplete() && !closed) {
      completed(bytes.hasRemaining());
    }
  }

  private void completed(boolean excess) {
    complete = true;
    patience.stop();
    if (!listener.completed()) {
      close();
    } else if (excess) {
      settle(false);
    } else if (!closed) {
      tail.start();
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
      if (listener.completed()) {
        settle(true);
      }
      close();
    } else {
      broken("has closed the connection within the response");
    }
  }

  private void tooLate() {
    if (paused) {
      patience.start(); // it is the client who is slow
    } else {
      failed(Failure.gatewayTimeout("The origin did not answer in time."));
    }
  }

  private void broken(String what) {
    if (complete) {
      settle(false);
    } else {
      failed(Failure.badGateway("The origin " + what + "."));
    }
  }

  private void settle(boolean clean) {
    if (!closed) {
      try {
        close();
      } finally {
        listener.settled(clean);
      }
    }
  }

  /** Ends it at once; the listener hears no more of it. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    dial.cancel();
    patience.stop();
    tail.stop();
    if (channel != null) {
      Sockets.close(nio, channel, false);
    }
  }

  @Override
  public void guarded(Runnable step) {
    listener.guarded(step);
  }
}

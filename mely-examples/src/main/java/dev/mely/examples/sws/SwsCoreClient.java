package dev.mely.examples.sws;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Mely.Timer;
import dev.mely.examples.http.HttpClock;
import dev.mely.examples.service.ServiceConfig;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of {@link SwsCoreServer}: the handlers of its color. One request at a time goes
 * round, and meanwhile the socket is not read, so that no client can make its connection take more
 * than a bounded amount of memory and one open file:
 *
 * <pre>
 *                     +--- more requests --------------------------------+
 *                     v                                                  |
 *   ReadRequest -> ParseRequest -> CheckInCache ----------------> WriteResponse -> Close
 *        ^            |                  |   +-> disk, on threads -^     |
 *        +-- no more -+                  |                               |
 *                                        |                               |
 *                                        +-- coloring 2003: CachedPage --+
 * </pre>
 *
 * <p>All fields belong to the color, unless stated otherwise.
 */
final class SwsCoreClient {
  // One handler for all connections, so that its cost is learned once.
  private static final Handler<SwsCoreClient> READ_REQUEST =
      step("ReadRequest", SwsCoreClient::readRequest);
  private static final Handler<SwsCoreClient> PARSE_REQUEST =
      step("ParseRequest", SwsCoreClient::parseRequest);
  private static final Handler<SwsCoreClient> CHECK_IN_CACHE =
      step("CheckInCache", SwsCoreClient::checkInCache);
  private static final Handler<SwsCoreClient> WRITE_RESPONSE =
      step("WriteResponse", SwsCoreClient::writeResponse);
  private static final Handler<SwsCoreClient> CLOSE = new CoreClose();
  private static final Handler<SwsCoreClient> DRAINED = step("Drained", SwsCoreClient::drained);
  private static final Handler<SwsCoreClient> TURN_AWAY = step("TurnAway", SwsCoreClient::turnAway);
  private static final Handler<SwsCoreClient> LOOK = step("Look", SwsCoreClient::lookForMovement);
  static final Handler<SwsCoreClient> DRAIN = step("Drain", SwsCoreClient::drain);
  static final Handler<SwsCoreClient> ABORT = Handler.of(SwsCoreClient::close).named("Abort");

  private static final Logger LOG = LoggerFactory.getLogger(SwsCoreClient.class);

  /** Makes a handler; any exception or error in it ends the connection. */
  private static Handler<SwsCoreClient> step(String name, Consumer<SwsCoreClient> what) {
    return Handler.of((SwsCoreClient client) -> client.orClose(() -> what.accept(client)))
        .named(name);
  }

  private final SwsCoreServer server;
  private final SocketChannel channel;
  private final boolean admitted;
  private final Color color;

  // Set in color 0, before the first event of this color.
  @SuppressWarnings("NullAway.Init")
  private CoreRequests requests;

  @SuppressWarnings("NullAway.Init") // except if it ended before it was registered
  private CoreResponses responses;

  private @Nullable Timer guard;

  // The current request.
  private @Nullable Request request;
  private @Nullable Found found; // with coloring 2003 the color of the page cache has it, too

  private final @Nullable CachedPage cached; // coloring 2003

  /** There is no current request: it is the client's turn. */
  private boolean idle = true;

  /** A disk lookup is running. */
  private boolean looking;

  /** Written output must be sent before the next step. */
  private boolean waiting;

  /** The server stops: the current request is the last one. */
  private boolean draining;

  /** The last response has been written. */
  private boolean ending;

  /**
   * The client may still be sending: closing with unread input would reset the connection and could
   * destroy that response.
   */
  private boolean lingering;

  private boolean closed;
  private boolean gone;
  private @Nullable Timer linger;
  private final IdleDetector idleDetector = new IdleDetector(2);

  /** Any thread: it is not shared yet. */
  SwsCoreClient(SwsCoreServer server, SocketChannel channel, boolean admitted) {
    this.server = server;
    this.channel = channel;
    this.admitted = admitted;
    color = server.nio.mely().newColor();
    cached = server.coloring == Coloring.LIBASYNC ? new CachedPage(this, server) : null;
  }

  Color color() {
    return color;
  }

  boolean isAdmitted() {
    return admitted;
  }

  /** Registers an event with this color. Any thread. */
  void tell(Handler<SwsCoreClient> what) {
    server.nio.mely().register(color, what, this);
  }

  /** Starts reading. Color 0; the connection's color has no events before that. */
  void watch() {
    orClose(this::listen);
  }

  private void orClose(Runnable step) {
    boolean done = false;
    try {
      step.run();
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private void listen() {
    Nio nio = server.nio;
    try {
      requests = new CoreRequests(channel, nio.readable(channel, color, READ_REQUEST, this));
      responses = new CoreResponses(nio.mely(), nio.output(channel, color, DRAINED, this));
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection ended before it began", e);
      close();
      return;
    }
    if (admitted) {
      Duration half = Duration.ofMillis(Math.max(1, server.config.idleTimeout().toMillis() / 2));
      guard = nio.mely().scheduleWithFixedDelay(color, LOOK, this, half, half);
      requests.resume();
    } else {
      tell(TURN_AWAY);
    }
  }

  // ---- The paper's handlers

  private void readRequest() {
    if (closed) {
      return;
    }
    try {
      if (ending) {
        if (!requests.drop() || (requests.isOver() && !waiting)) {
          close();
        }
        return;
      }
      requests.read();
    } catch (IOException e) {
      broken(e);
      return;
    }
    requests.pause();
    idle = false;
    tell(PARSE_REQUEST);
  }

  private void parseRequest() {
    if (closed || ending) {
      return;
    }
    if (draining) {
      finish(false);
      return;
    }
    Request next = requests.next();
    if (requests.takeContinue()) {
      responses.shared(Answer.goOn());
    }
    if (next == null) {
      boolean sent = flush();
      if (requests.isOver()) {
        finish(false);
      } else if (sent || !responses.isFull()) {
        idle = true;
        requests.resume();
      } else {
        waiting = true;
      }
      return;
    }
    request = next;
    if (cached != null && next.refusal() == null) {
      cached.start(next);
    } else {
      tell(CHECK_IN_CACHE);
    }
  }

  private void checkInCache() {
    Request asked = Objects.requireNonNull(request);
    Found inMemory = server.store.find(asked, HttpClock.now());
    if (inMemory instanceof Found.OnDisk place) {
      askDisk(place);
    } else {
      answer(inMemory);
    }
  }

  /** Goes on to the response. In the connection's color, or in the page cache's. */
  void answer(Found what) {
    found = what;
    tell(WRITE_RESPONSE);
  }

  private void writeResponse() {
    Request asked = Objects.requireNonNull(request);
    Found what = Objects.requireNonNull(found);
    request = null;
    found = null;
    if (closed) {
      what.discard();
      return;
    }
    if (draining && asked.keepAlive()) {
      asked = asked.asLast();
    }
    responses.add(asked, what, HttpClock.now());
    if (!asked.keepAlive()) {
      finish(asked.isClosing());
    } else if (responses.hasFile() || responses.isFull()) {
      waiting = true;
      if (flush()) {
        drained();
      }
    } else {
      tell(PARSE_REQUEST);
    }
  }

  /** Closes the channel at once. In the color, or outside if no event can be registered. */
  void closeChannel() {
    if (gone) {
      return;
    }
    gone = true;
    try {
      server.nio.close(channel);
    } catch (IOException e) {
      LOG.debug("a connection was not closed well", e);
    } finally {
      try {
        if (responses != null) {
          responses.discard();
        }
      } finally {
        server.closed(this);
      }
    }
  }

  // ---- Their parts

  void askDisk(Found.OnDisk place) {
    Found refused =
        new DiskLookup(
                server.store,
                place,
                mely().executor(color),
                channel::isOpen,
                answer -> orClose(() -> answered(answer)))
            .start();
    if (refused == null) {
      looking = true;
    } else {
      answer(refused);
    }
  }

  /** Takes the result of a disk lookup. */
  private void answered(Found answer) {
    looking = false;
    found = answer;
    if (cached != null && answer instanceof PrebuiltResponse page && !closed) {
      cached.fill(page);
    } else {
      writeResponse();
    }
  }

  /** Returns true if all is sent and the connection still works. */
  private boolean flush() {
    try {
      return responses.flush();
    } catch (IOException e) {
      broken(e);
      return false;
    }
  }

  /** Pending output has been sent, or has failed. */
  private void drained() {
    if (closed || !flush() || !waiting) {
      return;
    }
    waiting = false;
    responses.closeFile();
    if (ending) {
      end();
    } else {
      tell(PARSE_REQUEST);
    }
  }

  // ---- The end

  /** The last response has been written. */
  private void finish(boolean mayStillSend) {
    if (ending || closed) {
      return;
    }
    ending = true;
    lingering = mayStillSend || requests.hasUnread();
    waiting = true;
    drained();
  }

  private void end() {
    if (!lingering || requests.isOver()) {
      close();
      return;
    }
    try {
      channel.shutdownOutput();
      linger = mely().schedule(color, ABORT, this, ServiceConfig.LINGER);
      requests.resume(); // further input is dropped
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection broke at its end", e);
      close();
    }
  }

  /** There are too many clients: sends a 503, and reads nothing. */
  private void turnAway() {
    idle = false;
    responses.made(Answer.tooManyClients(HttpClock.now()));
    finish(true);
  }

  /** The server stops: requests already received are answered, no others. */
  private void drain() {
    draining = true;
    if (idle && !closed) {
      requests.pause();
      finish(false);
    }
  }

  /** Closes an idle connection, as the server on Netty does. */
  private void lookForMovement() {
    if (closed) {
      return;
    }
    if (!idleDetector.isOver(looking, requests.count(), responses.sent())) {
      return;
    }
    if (!idle || responses.pending() > 0 || !requests.hasUnread()) {
      close();
      return;
    }
    requests.pause();
    idle = false;
    Refusal tooLate = RequestRules.tooLate();
    request = Request.none(tooLate);
    found = new Found.Nothing(tooLate);
    writeResponse();
  }

  private void broken(IOException why) {
    LOG.debug("a connection broke", why);
    close();
  }

  /** Ends the connection, with all that is in progress. */
  private void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (guard != null) {
      guard.cancel();
    }
    if (linger != null) {
      linger.cancel();
    }
    boolean told = false;
    try {
      tell(CLOSE);
      told = true;
    } finally {
      if (!told) {
        closeChannel(); // no event can be registered, and the close must not wait
      }
    }
  }

  private Mely mely() {
    return server.nio.mely();
  }
}

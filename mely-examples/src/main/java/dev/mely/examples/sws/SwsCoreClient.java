package dev.mely.examples.sws;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Timer;
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
 * round, and while it does nothing is read, so that a connection takes a bounded amount of memory
 * and one open file, whatever its client does:
 *
 * <pre>
 *                     +--- more has come --------------------------------+
 *                     v                                                  |
 *   ReadRequest -> ParseRequest -> CheckInCache ----------------> WriteResponse -> Close
 *        ^            |                  |   +-> disk, on threads -^     |
 *        +-- no more -+                  |                               |
 *                                        |                               |
 *                                        +-- coloring 2003: CachedPage --+
 * </pre>
 *
 * <p>All fields belong to the color, but for those that say otherwise.
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

  /** A handler of which any failure, an {@code Error} too, ends the connection. */
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

  @SuppressWarnings("NullAway.Init") // but for a connection that ended before it began
  private CoreResponses responses;

  private @Nullable Timer guard;

  // Of the request that goes round.
  private @Nullable Request request;
  private @Nullable Found found; // with coloring 2003 the color of the page cache has it, too

  private final @Nullable CachedPage cached; // coloring 2003

  /** No request goes round: the client has its turn. */
  private boolean idle = true;

  /** The disk is being asked. */
  private boolean looking;

  /** What has been written must leave before anything else is done. */
  private boolean waiting;

  /** The server stops: what goes round is the last one. */
  private boolean draining;

  /** The last response has been written. */
  private boolean ending;

  /** The client may still be sending: a close with unread input would destroy that response. */
  private boolean lingering;

  private boolean closed;
  private boolean gone;
  private @Nullable Timer linger;
  private final Stillness stillness = new Stillness(2);

  /** Any thread: it is a new one. */
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

  /** Begins to listen. Color 0; the connection's color has nothing to do before that. */
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

  /** Goes on to the response. The color, or that of the page cache if that has the request. */
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

  /** Closes the channel, whatever is on its way. The color, or where no event can be had for it. */
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

  // ---- What they are made of

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

  /** Takes what the disk has given. */
  private void answered(Found answer) {
    looking = false;
    found = answer;
    if (cached != null && answer instanceof PrebuiltResponse page && !closed) {
      cached.fill(page);
    } else {
      writeResponse();
    }
  }

  /** Returns true if nothing is left to be sent, and the connection is well. */
  private boolean flush() {
    try {
      return responses.flush();
    } catch (IOException e) {
      broken(e);
      return false;
    }
  }

  /** What had to wait has been sent, or never will be. */
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
      requests.resume(); // what comes is dropped
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection broke at its end", e);
      close();
    }
  }

  /** There are too many clients: says so, and reads nothing. */
  private void turnAway() {
    idle = false;
    responses.made(Answer.tooManyClients(HttpClock.now()));
    finish(true);
  }

  /** The server stops: what has been asked is answered, and no more. */
  private void drain() {
    draining = true;
    if (idle && !closed) {
      requests.pause();
      finish(false);
    }
  }

  /** Ends connections on which nothing moves, as the Netty build does. */
  private void lookForMovement() {
    if (closed) {
      return;
    }
    if (!stillness.isOver(looking, requests.count(), responses.sent())) {
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

  /** Whatever is under way ends here. */
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
        closeChannel(); // no event can be had for it, and it may not wait for one
      }
    }
  }

  private Mely mely() {
    return server.nio.mely();
  }
}

package dev.mely.examples.sws;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Timer;
import dev.mely.annotation.Frees;
import dev.mely.examples.service.PlannedBuffer;
import dev.mely.nio.Nio;
import dev.mely.nio.Output;
import dev.mely.nio.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
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
 *                                        |   coloring 2003:              |
 *                                        +-- HashPath, urgent            |
 *                                            CheckPageCache, its color --+
 *                                            FillPageCache, its color  --+
 * </pre>
 *
 * <p>All fields belong to the color, but for those that say otherwise.
 */
final class SwsCoreClient {
  /** What stages, and plans, know responses by. */
  static final String RESPONSE = "response";

  // One handler for all connections, so that its cost is learned once.
  private static final Handler<SwsCoreClient> READ_REQUEST =
      Handler.named("ReadRequest", SwsCoreClient::readRequest);
  private static final Handler<SwsCoreClient> PARSE_REQUEST =
      Handler.named("ParseRequest", SwsCoreClient::parseRequest);
  private static final Handler<SwsCoreClient> CHECK_IN_CACHE =
      Handler.named("CheckInCache", SwsCoreClient::checkInCache);
  private static final Handler<SwsCoreClient> WRITE_RESPONSE =
      Handler.named("WriteResponse", SwsCoreClient::writeResponse);
  private static final Handler<SwsCoreClient> CLOSE = new Close();
  private static final Handler<SwsCoreClient> HASH_PATH =
      Handler.named("HashPath", SwsCoreClient::hashPath);
  private static final Handler<SwsCoreClient> CHECK_PAGE_CACHE =
      Handler.named("CheckPageCache", SwsCoreClient::checkPageCache);
  private static final Handler<SwsCoreClient> READ_PAGE =
      Handler.named("ReadPage", SwsCoreClient::readPage);
  private static final Handler<SwsCoreClient> FILL_PAGE_CACHE =
      Handler.named("FillPageCache", SwsCoreClient::fillPageCache);
  private static final Handler<SwsCoreClient> DRAINED =
      Handler.named("Drained", SwsCoreClient::drained);
  private static final Handler<SwsCoreClient> TURN_AWAY =
      Handler.named("TurnAway", SwsCoreClient::turnAway);
  private static final Handler<SwsCoreClient> LOOK =
      Handler.named("Look", SwsCoreClient::lookForMovement);
  static final Handler<SwsCoreClient> DRAIN = Handler.named("Drain", SwsCoreClient::drain);
  static final Handler<SwsCoreClient> ABORT = Handler.named("Abort", SwsCoreClient::close);

  private static final Logger LOG = LoggerFactory.getLogger(SwsCoreClient.class);

  /** Above so many bytes on their way no further request is taken. */
  private static final int MAX_PENDING = 64 * 1024;

  private static final long MAX_DROPPED = 1024 * 1024;
  private static final Duration MAX_LINGER = Duration.ofSeconds(2);

  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** Input lives in here during one call, so that idle connections hold no buffers. */
  private static final ThreadLocal<ByteBuffer> INPUT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(64 * 1024));

  private final SwsCoreServer server;
  private final SocketChannel channel;
  private final boolean admitted;
  private final Color color;
  private final RequestReader reader = new RequestReader();

  // Set in color 0, before the first event of this color.
  private @Nullable Source in;
  private @Nullable Output out;
  private @Nullable Timer guard;

  // Of the request that goes round; with coloring 2003 the color of the page cache has them, too.
  private @Nullable Request request;
  private @Nullable Found found;
  private @Nullable UrlPath url;
  private @Nullable PageCache cache;

  /** What was made for answers and has not all been sent. */
  private final Queue<PlannedBuffer> answers = new ArrayDeque<>(2);

  /** The file that is being sent. */
  private ServedFolder.@Nullable OpenFile file;

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

  private boolean inputOver;
  private boolean closed;
  private long dropped;
  private @Nullable Timer linger;

  // Movement, see lookForMovement.
  private long requests;
  private long written;
  private long seenRequests;
  private long seenSent;
  private int quietLooks;

  /** Any thread: it is a new one. */
  SwsCoreClient(SwsCoreServer server, SocketChannel channel, boolean admitted) {
    this.server = server;
    this.channel = channel;
    this.admitted = admitted;
    color = server.nio().mely().newColor();
  }

  boolean isAdmitted() {
    return admitted;
  }

  /** Registers an event with this color. Any thread. */
  void tell(Handler<SwsCoreClient> what) {
    server.nio().mely().register(color, what, this);
  }

  /** Begins to listen. Color 0. */
  void watch() {
    Nio nio = server.nio();
    try {
      in = nio.readable(channel, color, READ_REQUEST, this);
      out = nio.output(channel, color, DRAINED, this);
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection ended before it began", e);
      tell(ABORT);
      return;
    }
    if (admitted) {
      Duration half = Duration.ofMillis(Math.max(1, server.idleTimeout().toMillis() / 2));
      guard = nio.mely().scheduleWithFixedDelay(color, LOOK, this, half, half);
      in().resume();
    } else {
      tell(TURN_AWAY);
    }
  }

  // ---- The paper's handlers

  private void readRequest() {
    if (closed) {
      return;
    }
    ByteBuffer bytes = INPUT.get().clear();
    int n;
    try {
      n = channel.read(bytes);
    } catch (IOException e) {
      broken(e);
      return;
    }
    if (n < 0) {
      inputOver = true;
      in().cancel();
    }
    if (ending) {
      dropped += Math.max(0, n);
      if ((inputOver && !waiting) || dropped > MAX_DROPPED) {
        close();
      }
      return;
    }
    reader.feed(bytes.flip());
    in().pause();
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
    Request next = reader.next();
    if (reader.takeContinue()) {
      write(ByteBuffer.wrap(CONTINUE));
    }
    if (next == null) {
      boolean sent = flush();
      if (inputOver) {
        finish(false);
      } else if (sent || out().pending() <= MAX_PENDING) {
        idle = true;
        in().resume();
      } else {
        waiting = true;
      }
      return;
    }
    requests++;
    request = next;
    if (server.coloring() == Coloring.LIBASYNC) {
      mely().registerUrgent(color, HASH_PATH, this);
    } else {
      tell(CHECK_IN_CACHE);
    }
  }

  private void checkInCache() {
    Request asked = Objects.requireNonNull(request);
    Refusal refusal = asked.refusal();
    try {
      if (refusal != null) {
        throw refusal;
      }
      Found inMemory = server.store().find(asked.target(), HttpClock.now());
      if (inMemory instanceof Found.OnDisk place) {
        askDisk(place);
        return;
      }
      found = inMemory;
    } catch (Refusal why) {
      found = new Found.Nothing(why);
    }
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
    HttpClock now = HttpClock.now();
    boolean open = asked.keepAlive();
    boolean mayStillSend = false;
    try {
      respond(asked, what, now);
    } catch (Refusal refusal) {
      open &= !refusal.isClosing();
      mayStillSend = refusal.isClosing();
      answer(Answer.refusal(asked, refusal, open, now).bytes());
    }
    if (!open) {
      finish(mayStillSend);
    } else if (file != null || out().pending() > MAX_PENDING) {
      waiting = true;
      if (flush()) {
        drained();
      }
    } else {
      tell(PARSE_REQUEST);
    }
  }

  private void closeChannel() {
    try {
      server.nio().close(channel);
    } catch (IOException e) {
      LOG.debug("a connection was not closed well", e);
    }
    closeFile();
    forgetAnswers();
    server.closed(this);
  }

  /** Whatever the connection still has of a request and of answers ends here. */
  @Frees({RequestReader.OBJECT, RESPONSE})
  private static final class Close extends Handler<SwsCoreClient> {
    @Override
    public String stage() {
      return "Close";
    }

    @Override
    public void handle(SwsCoreClient client) {
      client.closeChannel();
    }
  }

  // ---- Coloring 2003

  private void hashPath() {
    Request asked = Objects.requireNonNull(request);
    Refusal refusal = asked.refusal();
    try {
      if (refusal != null) {
        throw refusal;
      }
      url = UrlPath.parse(asked.target());
      cache = server.pageCache(url.canonical());
      mely().register(cache.color(), CHECK_PAGE_CACHE, this);
    } catch (Refusal why) {
      found = new Found.Nothing(why);
      tell(WRITE_RESPONSE);
    }
  }

  /** In the color of a part of the page cache. */
  private void checkPageCache() {
    String path = Objects.requireNonNull(url).canonical();
    found = Objects.requireNonNull(cache).get(path, HttpClock.now());
    tell(found != null ? WRITE_RESPONSE : READ_PAGE);
  }

  private void readPage() {
    try {
      askDisk(new Found.OnDisk(Objects.requireNonNull(url)));
    } catch (Refusal why) {
      found = new Found.Nothing(why);
      tell(WRITE_RESPONSE);
    }
  }

  /** In the color of a part of the page cache. */
  private void fillPageCache() {
    if (found instanceof PrebuiltResponse page) {
      String path = Objects.requireNonNull(url).canonical();
      Objects.requireNonNull(cache).put(path, page, HttpClock.now());
    }
    tell(WRITE_RESPONSE);
  }

  // ---- What they are made of

  private void askDisk(Found.OnDisk place) throws Refusal {
    DiskLookup.start(
        server.store(),
        server.disk(),
        mely().executor(color),
        channel::isOpen,
        Objects.requireNonNull(request),
        place,
        this::answered);
    looking = true;
  }

  /** Takes what the disk has given. */
  private void answered(Found answer) {
    looking = false;
    found = answer;
    PageCache part = cache;
    if (part != null && answer instanceof PrebuiltResponse && !closed) {
      mely().register(part.color(), FILL_PAGE_CACHE, this);
    } else {
      writeResponse();
    }
  }

  private void respond(Request asked, Found what, HttpClock now) throws Refusal {
    boolean open = asked.keepAlive();
    if (what instanceof PrebuiltResponse hit) {
      fromMemory(asked, hit, now);
    } else if (what instanceof Found.File onDisk) {
      fromDisk(asked, onDisk.open(), now);
    } else if (what instanceof Found.Redirect redirect) {
      answer(Answer.redirect(asked, redirect.location(), open, now).bytes());
    } else if (what instanceof Found.Page page) {
      answer(Answer.page(asked, page.html(), open, now).bytes());
    } else if (what instanceof Found.Nothing nothing) {
      throw nothing.refusal();
    }
  }

  private void fromMemory(Request asked, PrebuiltResponse hit, HttpClock now) throws Refusal {
    Selection selection = Selection.of(asked, hit.file(), now);
    RangeHeader range = selection.range();
    if (selection.kind() == Selection.Kind.WHOLE) {
      int length = hit.length(asked, now);
      PlannedBuffer head = PlannedBuffer.take(mely(), RESPONSE, length, answers.size() + 1);
      answers.add(head);
      hit.write(asked, now, head.memory()::put);
      write(head.memory().flip());
      if (hit.hasContentBehind(asked)) {
        write(hit.content());
      }
    } else {
      answer(head(asked, hit.file(), selection, now));
      if (range != null) {
        write(hit.content(range));
      }
    }
  }

  private void fromDisk(Request asked, ServedFolder.OpenFile open, HttpClock now) throws Refusal {
    FileInfo info = open.info();
    file = open;
    boolean sent = false;
    try {
      Selection selection = Selection.of(asked, info, now);
      RangeHeader range = selection.range();
      answer(head(asked, info, selection, now));
      boolean whole = selection.kind() == Selection.Kind.WHOLE;
      if (!asked.head() && (whole || range != null)) {
        long first = range == null ? 0 : range.first();
        write(open.channel(), first, range == null ? info.size() : range.length());
        sent = true;
      }
    } finally {
      if (!sent) {
        closeFile();
      }
    }
  }

  private static ByteBuffer head(Request asked, FileInfo file, Selection selection, HttpClock now) {
    boolean open = asked.keepAlive();
    Answer answer =
        switch (selection.kind()) {
          case WHOLE, PART -> Answer.file(asked, file, selection.range(), open, now);
          case NOT_MODIFIED -> Answer.notModified(asked, file, open, now);
          case UNSATISFIABLE -> Answer.unsatisfiable(asked, file.size(), open, now);
        };
    return answer.bytes();
  }

  /** Writes what was made for this one answer. */
  private void answer(ByteBuffer bytes) {
    answers.add(PlannedBuffer.of(RESPONSE, bytes, answers.size() + 1));
    write(bytes);
  }

  /** Nothing that was written is needed any more. */
  private void forgetAnswers() {
    for (PlannedBuffer sent = answers.poll(); sent != null; sent = answers.poll()) {
      sent.free();
    }
  }

  private void write(ByteBuffer bytes) {
    written += bytes.remaining();
    out().write(bytes);
  }

  private void write(FileChannel from, long position, long count) {
    written += count;
    out().write(from, position, count);
  }

  /** Returns true if nothing is left to be sent, and the connection is well. */
  private boolean flush() {
    try {
      boolean all = out().flush();
      if (all) {
        forgetAnswers();
      }
      return all;
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
    closeFile();
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
    lingering = mayStillSend || reader.hasUnread();
    waiting = true;
    drained();
  }

  private void end() {
    if (!lingering || inputOver) {
      close();
      return;
    }
    try {
      channel.shutdownOutput();
      linger = mely().schedule(color, ABORT, this, MAX_LINGER);
      in().resume(); // what comes is dropped
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("a connection broke at its end", e);
      close();
    }
  }

  /** There are too many clients: says so, and reads nothing. */
  private void turnAway() {
    idle = false;
    answer(Answer.tooManyClients(HttpClock.now()).bytes());
    finish(true);
  }

  /** The server stops: what has been asked is answered, and no more. */
  private void drain() {
    draining = true;
    if (idle) {
      in().pause();
      finish(false);
    }
  }

  /**
   * Ends connections on which nothing moves: twice in a timeout it compares counters with those of
   * last time, as the Netty build does. Only whole requests and sent bytes count.
   */
  private void lookForMovement() {
    if (closed) {
      return;
    }
    long sent = written - out().pending();
    boolean moved = requests != seenRequests || sent != seenSent;
    seenRequests = requests;
    seenSent = sent;
    quietLooks = moved || looking ? 0 : quietLooks + 1;
    if (quietLooks < 2) {
      return;
    }
    if (!idle || out().pending() > 0 || !reader.hasUnread()) {
      close();
      return;
    }
    in().pause();
    idle = false;
    request = new Request(false, "", new Fields.Collected(), false, false, null);
    found = new Found.Nothing(RequestRules.tooLate());
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
    tell(CLOSE);
  }

  private void closeFile() {
    ServedFolder.OpenFile open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("a file was not closed well", e);
      }
    }
  }

  private Mely mely() {
    return server.nio().mely();
  }

  private Source in() {
    return Objects.requireNonNull(in);
  }

  private Output out() {
    return Objects.requireNonNull(out);
  }
}

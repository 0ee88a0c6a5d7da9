package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.Header;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response: from the cache, from the origin, or from the cache after validation
 * by the origin.
 *
 * <pre>
 *   color of the connection            color of a part of the cache
 *   begin ---------------------------> CHECK
 *   CHECKED <-------------------------+
 *     |  +-- serve
 *     +-- forward -> Origin -> answered, content, completed -> settled -> STORE
 * </pre>
 *
 * <p>A response is stored once it is complete by its announced framing and the origin has closed
 * the connection after it. A response whose end is only the end of the connection is not stored: it
 * could be truncated.
 *
 * <p>Belongs to the color of the connection, except for CHECK and STORE.
 */
final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final Handler<Exchange> CHECK = Handler.of(Exchange::check).named("CheckCache");
  private static final Handler<Exchange> CHECKED =
      Handler.of((Exchange e) -> e.connection.guarded(e::decide)).named("CacheChecked");
  private static final Handler<Exchange> STORE = Handler.of(Exchange::store).named("Store");

  private static final Set<String> CONDITIONS = Set.of("if-none-match", "if-modified-since");

  private final ProxyConnection connection;
  private final ProxyServer server;
  private final ProxyRequest request;
  private final String key;
  private final CachePart part;

  /** The cache's entry. Written in the part's color, before CHECKED. */
  private @Nullable StoredResponse stored;

  /** The entry that the origin is asked to validate. */
  private @Nullable StoredResponse validating;

  private @Nullable Origin origin;
  private long requested;

  /** The entry to store; null once the response may not be stored. */
  private @Nullable StoredResponse toStore;

  /** Its content so far. */
  private final Collected collected;

  /**
   * The head of the response, not written yet, as it is written together with what follows; or
   * null.
   */
  private @Nullable ByteBuffer head;

  /** The head has been written: no other response can be sent instead. */
  private boolean answered;

  /** The whole response has been written. */
  private boolean relayed;

  private boolean keepAlive;
  private boolean chunked;
  private boolean settled;

  Exchange(ProxyConnection connection, ProxyServer server, ProxyRequest request) {
    this.connection = connection;
    this.server = server;
    this.request = request;
    keepAlive = request.keepAlive();
    key = request.target().key();
    part = server.cache.part(key);
    collected = new Collected(server.cache);
  }

  void begin() {
    if (request.goesPastTheCache()) {
      decide();
    } else {
      mely().register(part.color(), CHECK, this);
    }
  }

  /** Whether the response is complete, also for the cache. */
  boolean isSettled() {
    return settled;
  }

  /** Whether the proxy waits for the origin, for which there are other timeouts. */
  boolean isOriginsTurn() {
    return origin != null && !settled;
  }

  // ---- The cache. The color of its part

  private void check() {
    try {
      stored = part.find(key, request.header());
    } finally { // the client waits: after a failure, go on without an entry
      mely().register(connection.color(), CHECKED, this);
    }
  }

  private void store() {
    StoredResponse kept = toStore;
    try {
      if (kept == null) {
        part.remove(key, request.header());
      } else {
        part.put(key, request.header(), kept);
      }
    } catch (Throwable t) {
      part.clear(); // after a failure, the count of bytes may be wrong
      throw t;
    }
  }

  // ---- From the cache, or forward to the origin

  private void decide() {
    if (connection.isClosed()) {
      return;
    }
    StoredResponse has = stored;
    CacheRules.Use use =
        has == null ? null : CacheRules.use(has, request.wishes(), server.nowSeconds());
    if (has != null && use == CacheRules.Use.SERVE) {
      settled = true;
      serve(has, "hit");
    } else if (request.wishes().has("only-if-cached")) {
      settled = true;
      fail(
          new Failure(
              504, "This is not in the cache, and the request is for a cached response only."));
    } else if (has != null && has.hasValidator() && !request.isHead()) {
      validating = has;
      forward();
    } else {
      forward();
    }
  }

  /** Serves a response from memory. */
  private void serve(StoredResponse response, String how) {
    Header header =
        passedOn(response.header(), response.minor(), how)
            .with("Age", String.valueOf(response.age(server.nowSeconds())));
    answered = true;
    if (response.isKnownTo(request)) {
      connection.write(
          Replies.head(304, "Not Modified", Replies.ofNotModified(header), keepAlive()));
    } else {
      byte[] body = response.body();
      boolean bodiless = response.status() == 204;
      Header framed = bodiless ? header : header.with("Content-Length", "" + body.length);
      connection.write(Replies.head(response.status(), response.reason(), framed, keepAlive()));
      if (!request.isHead() && !bodiless) {
        connection.write(ByteBuffer.wrap(body));
      }
    }
    relayed = true;
    connection.responded(keepAlive);
  }

  private Header passedOn(Header header, int minor, String how) {
    return header
        .with("Via", Via.line(minor, server.name))
        .with("Cache-Status", server.name + "; " + how);
  }

  /** Whether the connection stays open. Decided when the head is written, which announces it. */
  private boolean keepAlive() {
    keepAlive &= !connection.isDraining();
    return keepAlive;
  }

  private void forward() {
    Header header = request.header();
    StoredResponse old = validating;
    if (old != null) {
      header = header.without(CONDITIONS);
      String tag = old.etag();
      String modified = old.lastModified();
      header = tag == null ? header : header.with("If-None-Match", tag);
      header = modified == null ? header : header.with("If-Modified-Since", modified);
    }
    header = header.with("Via", Via.line(request.minor(), server.name));
    requested = server.nowSeconds();
    Origin asked =
        new Origin(
            server,
            connection,
            request,
            Replies.question(request.method(), request.target(), header),
            this);
    origin = asked;
    asked.start();
  }

  // ---- From the origin

  /** An interim response (1xx). */
  void interim(OriginResponse response) {
    if (request.minor() > 0) {
      Header header = response.header().with("Via", Via.line(response.minor(), server.name));
      connection.write(Replies.head(response.status(), response.reason(), header, true));
    }
  }

  /** The head of the response. */
  void answered(OriginResponse response, BodyReader body) {
    StoredResponse old = validating;
    if (response.status() == 304 && old != null) {
      if (old.isConfirmedBy(response)) {
        confirmed(old, response);
      } else {
        another(); // a 304 for another version than the cache has
      }
      return;
    }
    if (response.status() == 304 && !request.isConditional()) {
      Objects.requireNonNull(origin).close();
      failed(new Failure(502, "The origin has sent a 304 to a request without a condition."));
      return;
    }
    long received = server.nowSeconds();
    boolean storable =
        body.kind() != BodyReader.Kind.UNTIL_CLOSE && body.length() <= server.cache.maxObject();
    toStore =
        storable ? CacheRules.toStore(request, response, new byte[0], requested, received) : null;
    if (toStore == null && stored != null && isNewer(response)) {
      mely().register(part.color(), STORE, this); // removes an entry that is out of date
    }
    relay(response, body, CacheRules.dated(response.header(), received));
  }

  /** Whether a response replaces the stored one, and is not an error on the way to the origin. */
  private boolean isNewer(OriginResponse response) {
    StoredResponse old = Objects.requireNonNull(stored);
    if (response.status() >= 500 || request.goesPastTheCache() || response.status() == 304) {
      return false;
    }
    return !request.isHead()
        || !Objects.equals(old.header().get("etag"), response.header().get("etag"))
        || !Objects.equals(
            old.header().get("last-modified"), response.header().get("last-modified"));
  }

  private void relay(OriginResponse response, BodyReader body, Header dated) {
    String how = request.goesPastTheCache() ? "bypass" : stored != null ? "stale" : "miss";
    Header header = passedOn(dated, response.minor(), "fwd=" + how);
    switch (body.kind()) {
      case NONE -> {
        String announced = response.raw().get("content-length");
        if (request.isHead() && announced != null) {
          header = header.with("Content-Length", announced);
        }
      }
      case LENGTH -> header = header.with("Content-Length", "" + body.length());
      case CHUNKED, UNTIL_CLOSE -> {
        chunked = request.minor() > 0;
        keepAlive &= chunked; // else the response ends with the connection
        header = chunked ? header.with("Transfer-Encoding", "chunked") : header;
      }
    }
    head = Replies.head(response.status(), response.reason(), header, keepAlive());
  }

  private void writeHead() {
    ByteBuffer unsent = head;
    head = null;
    if (unsent != null) {
      answered = true;
      connection.write(unsent);
    }
  }

  /** The origin has confirmed the stored response (304). */
  private void confirmed(StoredResponse old, OriginResponse response) {
    long received = server.nowSeconds();
    Header header = old.headerAfter(response, received);
    OriginResponse merged =
        new OriginResponse(old.status(), old.reason(), response.minor(), header, header);
    StoredResponse served = StoredResponse.of(request, merged, old.body(), requested, received);
    boolean storable =
        !response.raw().hidesFields() && CacheRules.mayStore(request, merged, served);
    toStore = storable ? served : null;
    if (toStore == null) {
      mely().register(part.color(), STORE, this);
    }
    serve(served, "hit; detail=validated");
  }

  /** Asks the origin again, without a condition. */
  private void another() {
    Objects.requireNonNull(origin).close();
    validating = null;
    forward();
  }

  /** A piece of its content. */
  void content(byte[] piece) {
    writeHead();
    connection.write(chunked ? Replies.chunk(piece) : ByteBuffer.wrap(piece));
    collect(piece);
  }

  private void collect(byte[] piece) {
    try {
      if (toStore != null && !collected.add(piece)) {
        forget();
      }
    } catch (Throwable t) { // the client still gets it
      LOG.warn("{} is not kept", key, t);
      forget();
    }
  }

  /** The response will not be stored. */
  private void forget() {
    toStore = null;
    collected.release();
  }

  /** Flushes what has been written. */
  void flush() {
    writeHead();
    connection.flush();
    if (connection.hasUnsent() && origin != null && !relayed) {
      origin.pause();
    }
  }

  /** Pending output has been sent to the client. */
  void drained() {
    if (origin != null && !relayed) {
      origin.resume();
    }
  }

  /**
   * The content has ended.
   *
   * @return whether to wait until it is settled; if not, the connection is closed at once
   */
  boolean completed() {
    settled = toStore == null;
    if (!relayed) { // true if served from the cache after validation
      writeHead();
      if (chunked) {
        connection.write(ByteBuffer.wrap(Replies.LAST_CHUNK));
      }
      relayed = true;
      connection.responded(keepAlive);
    }
    return !settled;
  }

  /**
   * Called after {@link #completed}, if that returned true.
   *
   * @param clean whether the origin has closed the connection after its response, without more data
   */
  void settled(boolean clean) {
    settled = true;
    try {
      StoredResponse kept = toStore;
      if (kept != null && clean) {
        keep(kept);
      }
    } catch (Throwable t) { // the client already has it
      LOG.warn("{} is not kept", key, t);
    } finally {
      collected.release();
    }
    connection.parse();
  }

  private void keep(StoredResponse kept) {
    if (validating == null || kept.body() != validating.body()) {
      toStore = kept.with(collected.bytes());
    }
    mely().register(part.color(), STORE, this);
  }

  /** There is no response, or the rest of it is lost. */
  void failed(Failure failure) {
    forget();
    head = null;
    settled = true;
    if (answered) {
      connection.reset(); // a truncated response must not look complete
    } else {
      fail(failure);
    }
  }

  private void fail(Failure failure) {
    answered = true;
    relayed = true;
    connection.write(Replies.failure(failure, request.isHead(), keepAlive()));
    connection.responded(keepAlive);
  }

  /** The client has left. A completely relayed response may still be stored. */
  void cancel() {
    if (origin != null && !relayed) {
      settled = true;
      forget();
      origin.close();
    }
  }

  private Mely mely() {
    return server.nio().mely();
  }
}

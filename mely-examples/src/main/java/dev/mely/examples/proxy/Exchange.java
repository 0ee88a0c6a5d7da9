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
 * One request and its response: from the cache, from the origin, or from the cache once the origin
 * has said that it is still good.
 *
 * <pre>
 *   color of the connection            color of a part of the cache
 *   begin ---------------------------> CHECK
 *   CHECKED <-------------------------+
 *     |  +-- serve
 *     +-- forward -> Origin -> answered, content, completed -> settled -> STORE
 * </pre>
 *
 * <p>A response is stored when all of it has come, in the length that was announced, and the origin
 * has ended the connection behind it; one whose end is nothing but the end of the connection is not
 * stored, since nobody can tell that from a failure.
 *
 * <p>Belongs to the color of the connection, but for what CHECK and STORE do.
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

  /** What the cache has. Written in its color, before CHECKED. */
  private @Nullable StoredResponse stored;

  /** The one of which the origin is asked whether it is still good. */
  private @Nullable StoredResponse validating;

  private @Nullable Origin origin;
  private long requested;

  /** What this may become in the cache, as long as nothing speaks against it. */
  private @Nullable StoredResponse toStore;

  /** What has come of its content. */
  private final Collected collected;

  /**
   * The head of the response, which is written with what follows; null: it has been, or is none.
   */
  private @Nullable ByteBuffer head;

  /** The head has been written: the response cannot become another one. */
  private boolean answered;

  /** All of it has been written. */
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

  /** Whether the response has been dealt with, also for the cache. */
  boolean isSettled() {
    return settled;
  }

  /** Whether the origin is waited for, which has time limits of its own. */
  boolean isOriginsTurn() {
    return origin != null && !settled;
  }

  // ---- The cache. The color of its part

  private void check() {
    try {
      stored = part.find(key, request.header());
    } finally { // the client waits: what cannot be found is not there
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
      part.clear(); // what is there and what is counted may differ
      throw t;
    }
  }

  // ---- From the cache, or on to the origin

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
      fail(new Failure(504, "This is not in the cache, and only that was asked for."));
    } else if (has != null && has.hasValidator() && !request.isHead()) {
      validating = has;
      forward();
    } else {
      forward();
    }
  }

  /** Answers with what is in memory. */
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

  /** Whether the connection stays open: decided when the head is written, and told there. */
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

  /** A response that is not the last one: 1xx. */
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
        another(); // it speaks of something that the cache does not have
      }
      return;
    }
    if (response.status() == 304 && !request.isConditional()) {
      Objects.requireNonNull(origin).close();
      failed(new Failure(502, "The origin has answered a condition that was not set."));
      return;
    }
    long received = server.nowSeconds();
    boolean storable =
        body.kind() != BodyReader.Kind.UNTIL_CLOSE && body.length() <= server.cache.maxObject();
    toStore =
        storable ? CacheRules.toStore(request, response, new byte[0], requested, received) : null;
    if (toStore == null && stored != null && isNewer(response)) {
      mely().register(part.color(), STORE, this); // what it had is not what the origin has now
    }
    relay(response, body, CacheRules.dated(response.header(), received));
  }

  /** Whether an answer is in the place of the stored one, and not about a failure in between. */
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
        keepAlive &= chunked; // else its end is the end of the connection
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

  /** The origin says that the cache is right. */
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

  /** Asks once more, without a condition. */
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
    } catch (Throwable t) { // the client gets it all the same
      LOG.warn("{} is not kept", key, t);
      forget();
    }
  }

  /** It will not be stored. */
  private void forget() {
    toStore = null;
    collected.release();
  }

  /** So much for now: what has been written may leave. */
  void flush() {
    writeHead();
    connection.flush();
    if (connection.hasUnsent() && origin != null && !relayed) {
      origin.pause();
    }
  }

  /** The client has taken what waited for it. */
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
    if (!relayed) { // it has been if it was served from the cache, and confirmed
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
   * After completed, if that wanted it.
   *
   * @param clean whether the origin has ended the connection behind its response, and sent nothing
   *     else
   */
  void settled(boolean clean) {
    settled = true;
    try {
      StoredResponse kept = toStore;
      if (kept != null && clean) {
        keep(kept);
      }
    } catch (Throwable t) { // the client has got it all the same
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

  /** There is no response, or no more of it. */
  void failed(Failure failure) {
    forget();
    head = null;
    settled = true;
    if (answered) {
      connection.reset(); // whatever it has got so far must not look like all
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

  /** The client is gone. What has been relayed to the end may still be stored. */
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

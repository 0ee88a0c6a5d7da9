package dev.mely.examples.sws;

import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into requests, whatever pieces they come in, for both servers: the paper's
 * ParseRequest. Bodies are read and dropped. What a request must be beyond the grammar is said by
 * {@link RequestRules}.
 *
 * <p>Belongs to one connection. After a refusal that ends the connection nothing is read any more.
 */
class RequestReader {
  private final HeadReader<RequestLine> heads = HeadReader.ofRequests();

  /** The request whose header has ended, and its body; null: there is none. */
  private @Nullable Request pending;

  private BodyReader body = BodyReader.none();
  private boolean continueWanted;

  /** Nothing more is read. */
  private boolean over;

  /** Adds bytes that have come. */
  void feed(ByteBuffer input) {
    if (!over) {
      heads.feed(input);
    }
  }

  /** How much memory the bytes take that have come and are not taken. */
  int capacity() {
    return heads.capacity();
  }

  /** Whether the client has begun a request and not ended it, or sent others behind it. */
  boolean hasUnread() {
    return !over && (pending != null || heads.hasUnread());
  }

  /** Whether a client waits to be told that it may send its body; true once. */
  boolean takeContinue() {
    boolean wanted = continueWanted;
    continueWanted = false;
    return wanted;
  }

  /** The next request that is complete; null: more bytes are needed. */
  @Nullable Request next() {
    if (over) {
      return null;
    }
    Request request = read();
    if (request != null && request.isClosing()) {
      over = true;
      heads.rest();
    }
    return request;
  }

  private @Nullable Request read() {
    Request request = pending == null ? head() : pending;
    if (request == null || request.isClosing()) {
      return request;
    }
    pending = request;
    Refusal refusal = null;
    try {
      heads.read(body, content -> {});
    } catch (Malformed wrong) {
      refusal = RequestRules.malformedBody(wrong);
    }
    if (body.length() > RequestRules.MAX_BODY) {
      refusal = RequestRules.tooLarge();
    }
    if (refusal != null) {
      return request.asLast(refusal);
    }
    if (!body.isComplete()) {
      return null;
    }
    pending = null;
    return request;
  }

  /** The next request whose header has ended, or that is malformed; null: more bytes are needed. */
  private @Nullable Request head() {
    HeadReader.Head<RequestLine> head = null;
    Refusal refusal = null;
    boolean waits = false;
    try {
      head = heads.next();
      if (head != null) {
        body = BodyReader.ofRequest(head.header());
        refusal = RequestRules.refusal(head.start(), head.header(), body);
        waits = RequestRules.expectsContinue(head.start(), head.header(), body);
      }
    } catch (Malformed wrong) {
      refusal = RequestRules.malformed(wrong);
    }
    RequestLine line = head == null ? heads.start() : head.start();
    if (line != null && line.major() != 1) {
      refusal = RequestRules.versionNotSupported(); // whatever else is wrong
    }
    if (line == null || (head == null && refusal == null)) {
      return refusal == null ? null : Request.none(refusal);
    }
    if (refusal != null && waits) {
      // The client holds the body back until it hears from us; what it sends next is unclear.
      refusal = Refusal.closing(refusal.status(), refusal.reason());
    }
    continueWanted = waits && refusal == null;
    Request request = Request.of(line, head == null ? Header.EMPTY : head.header(), refusal);
    return request.isClosing() ? request.asLast(refusal) : request;
  }
}

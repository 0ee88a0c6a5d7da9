package dev.mely.examples.sws;

import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Parses requests, in any number of pieces, for both servers: the paper's ParseRequest. Bodies are
 * read and dropped. {@link RequestRules} has the rules beyond the grammar.
 *
 * <p>Belongs to one connection. Reads nothing after a refusal that ends the connection.
 */
class RequestReader {
  private final HeadReader<RequestLine> heads = HeadReader.ofRequests();

  /** The request whose header is complete and whose body is being read; null if none. */
  private @Nullable Request pending;

  private BodyReader body = BodyReader.none();
  private boolean continueWanted;

  /** No more input is read. */
  private boolean over;

  /** Adds input. */
  void feed(ByteBuffer input) {
    if (!over) {
      heads.feed(input);
    }
  }

  /** How much memory the unread input takes. */
  int capacity() {
    return heads.capacity();
  }

  /** Whether there is unread input: an incomplete request, or further ones. */
  boolean hasUnread() {
    return !over && (pending != null || heads.hasUnread());
  }

  /** Whether the client waits for a 100 (Continue); true once. */
  boolean takeContinue() {
    boolean wanted = continueWanted;
    continueWanted = false;
    return wanted;
  }

  /** The next complete request; null if more bytes are needed. */
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

  /** The next request with a complete or malformed header; null if more bytes are needed. */
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
      refusal = RequestRules.versionNotSupported(); // takes precedence over other errors
    }
    if (line == null || (head == null && refusal == null)) {
      return refusal == null ? null : Request.none(refusal);
    }
    if (refusal != null && waits) {
      // The client waits for a 100 (Continue); after a refusal it is unclear what it sends next.
      refusal = Refusal.closing(refusal.status(), refusal.reason());
    }
    continueWanted = waits && refusal == null;
    Request request = Request.of(line, head == null ? Header.EMPTY : head.header(), refusal);
    return request.isClosing() ? request.asLast(refusal) : request;
  }
}

package dev.mely.examples.sws;

import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import dev.mely.stage.Stages;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into requests, whatever pieces they come in; bodies are read and dropped. What a
 * request must be beyond the grammar is said by {@link RequestRules}, for both servers.
 *
 * <p>Belongs to one connection. After a refusal that ends the connection nothing is read any more.
 */
final class RequestReader {
  /** What stages know the bytes by that have come and are not taken. */
  static final String OBJECT = "request";

  private final HeadReader<RequestLine> heads = HeadReader.ofRequests();

  /** The request whose header has ended, and its body; null: there is none. */
  private @Nullable Request pending;

  private BodyReader body = BodyReader.none();
  private boolean continueWanted;

  /** Nothing more is read. */
  private boolean over;

  /** Adds bytes that have come. */
  void feed(ByteBuffer input) {
    if (over) {
      input.position(input.limit());
      return;
    }
    int before = heads.capacity();
    heads.feed(input);
    if (heads.capacity() > before) {
      // The smaller one is the collector's, and not counted.
      Stages.allocated(OBJECT, heads.capacity(), 1);
    }
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
    int before = heads.capacity();
    Request request = read();
    if (request != null && request.isClosing()) {
      over = true;
      heads.rest();
    }
    if (heads.capacity() == 0 && before > 0) {
      Stages.freed(OBJECT, before);
    }
    return request;
  }

  private @Nullable Request read() {
    if (pending == null) {
      Request next = head();
      if (next == null || next.isClosing()) {
        return next;
      }
      pending = next;
    }
    Request request = pending;
    try {
      heads.read(body, content -> {});
    } catch (Malformed wrong) {
      request = request.asLast(RequestRules.malformedBody(wrong));
    }
    if (body.length() > RequestRules.MAX_BODY) {
      return request.asLast(RequestRules.tooLarge());
    }
    if (!body.isComplete() && !request.isClosing()) {
      return null;
    }
    pending = null;
    return request;
  }

  /** The next request whose header has ended, or that is malformed; null: more bytes are needed. */
  private @Nullable Request head() {
    Refusal refusal = null;
    try {
      HeadReader.Head<RequestLine> head = heads.next();
      if (head != null) {
        Request request = RequestRules.check(head.start(), head.header());
        if (!request.isClosing()) {
          body = BodyReader.ofRequest(head.header());
          continueWanted = RequestRules.expectsContinue(head.start(), head.header());
        }
        return request;
      }
    } catch (Malformed wrong) {
      refusal = RequestRules.malformed(wrong);
    }
    RequestLine line = heads.start();
    if (line != null && line.major() != 1) {
      refusal = RequestRules.versionNotSupported();
    }
    if (refusal == null) {
      return null;
    }
    return line == null
        ? Request.none(refusal)
        : Request.of(line, Header.EMPTY, null).asLast(refusal);
  }

  /** What is under way, for messages. */
  @Override
  public String toString() {
    return pending + ", " + heads.capacity() + " bytes";
  }
}

package dev.mely.examples.sws;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.RequestLine;
import org.jspecify.annotations.Nullable;

/**
 * One complete request, whose body has been read and dropped.
 *
 * @param head whether only the header of the response is wanted
 * @param target as in the request line
 * @param headers the request's header fields
 * @param http10 whether the client speaks HTTP/1.0, where keep-alive must be announced
 * @param keepAlive whether the connection stays open after the response
 * @param refusal why the request is refused before any file is looked up; null: it is not
 */
record Request(
    boolean head,
    String target,
    Header headers,
    boolean http10,
    boolean keepAlive,
    @Nullable Refusal refusal) {

  /** Makes a request. */
  static Request of(RequestLine line, Header header, @Nullable Refusal refusal) {
    boolean keepAlive = RequestRules.isKeepAlive(line.minor(), header);
    return new Request(line.isHead(), line.target(), header, line.minor() == 0, keepAlive, refusal);
  }

  /** Stands for a missing request that is answered all the same; the connection's last one. */
  static Request none(@Nullable Refusal refusal) {
    return new Request(false, "", Header.EMPTY, false, false, refusal);
  }

  /** The same, as the last one of its connection. */
  Request asLast() {
    return asLast(refusal);
  }

  /** The same, as the last one of its connection, and refused. */
  Request asLast(@Nullable Refusal why) {
    return new Request(head, target, headers, http10, false, why);
  }

  /** Whether it is refused, and the input after it cannot be trusted. */
  boolean isClosing() {
    return refusal != null && refusal.isClosing();
  }
}

package dev.mely.examples.sws;

import org.jspecify.annotations.Nullable;

/**
 * One complete request, body read and dropped.
 *
 * @param head whether only the header of the response is wanted
 * @param target what was asked for, as it stood in the request line
 * @param headers the request's header fields
 * @param http10 whether the client speaks HTTP/1.0, where staying connected must be announced
 * @param keepAlive whether the connection stays open after the response
 * @param refusal why the request is refused before any file is looked at; null: it is not
 */
record Request(
    boolean head,
    String target,
    Fields headers,
    boolean http10,
    boolean keepAlive,
    @Nullable Refusal refusal) {

  /** The same, as the last one of its connection. */
  Request asLast() {
    return new Request(head, target, headers, http10, false, refusal);
  }

  /** Whether the response may be something else than the whole file. */
  boolean isConditional() {
    return headers.contains(Field.RANGE)
        || headers.contains(Field.IF_NONE_MATCH)
        || headers.contains(Field.IF_MODIFIED_SINCE)
        || headers.contains(Field.IF_MATCH)
        || headers.contains(Field.IF_UNMODIFIED_SINCE);
  }
}

/**
 * HTTP/1.1 for the web server and the proxy: the strict grammar of RFC 9112, without what it allows
 * a lenient recipient to accept, and one set of limits.
 *
 * <p>{@code HeadReader} parses heads, each a {@code RequestLine} or a {@code StatusLine} with its
 * {@code Header}; {@code BodyReader} finds the end of a body. Input that breaks the grammar throws
 * {@code Malformed}. {@code HostPort}, {@code EntityTags} and {@code HttpClock} parse values of
 * fields. This package knows nothing of events, sockets or Netty.
 */
@NullMarked
package dev.mely.examples.http;

import org.jspecify.annotations.NullMarked;

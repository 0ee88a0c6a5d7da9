/**
 * HTTP/1.1 as the web server and the proxy read it: one grammar, that of RFC 9112 without what it
 * lets a recipient be lenient about, and one set of limits.
 *
 * <p>{@code HeadReader} makes heads of bytes, each a {@code RequestLine} or a {@code StatusLine}
 * with its {@code Header}; {@code BodyReader} finds the end of a body. What breaks the grammar is
 * {@code Malformed}. {@code HostPort}, {@code EntityTags} and {@code HttpClock} read values of
 * fields. Nothing here knows of events, of sockets or of Netty.
 */
@NullMarked
package dev.mely.examples.http;

import org.jspecify.annotations.NullMarked;

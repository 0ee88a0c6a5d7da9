/**
 * A caching forward proxy on {@code dev.mely.nio}, the web proxy of the libasync-smp paper's
 * Figures 1 and 4: name lookups and connects are events, a client's connection and its connection
 * to the origin have one color, and the cache is split into parts with a color each.
 *
 * <pre>
 *   color of the listener: ACCEPT
 *
 *   color of a client's connection                               color of a part of the cache
 *   READ -&gt; PARSE -&gt; Exchange.begin ------------------------------&gt; CHECK
 *                    CHECKED &lt;------------------------------------+
 *                       | missing, or not fresh
 *                    Dial: LOOKUP -&gt; CONNECT   (names: the threads of Lookups)
 *                    Origin: READ -&gt; to the client, DRAINED -&gt; READ
 *                    settled --------------------------------------&gt; STORE
 * </pre>
 *
 * <p>{@code dev.mely.examples.http} parses HTTP; {@code ProxyRequest} and {@code OriginResponse}
 * check further rules of RFC 9112; {@code CacheControl}, {@code Freshness}, {@code Vary}, {@code
 * CacheRules} and {@code StoredResponse} implement RFC 9111. None of them knows of events.
 */
@NullMarked
package dev.mely.examples.proxy;

import org.jspecify.annotations.NullMarked;

/**
 * A caching forward proxy on {@code dev.mely.nio}, the web proxy of the libasync-smp paper's
 * Figures 1 and 4: name lookups and connects are events, a client's connection and the one to the
 * origin that serves it are of one color, and the cache is split in parts with a color each.
 *
 * <pre>
 *   color of the listener: ACCEPT
 *
 *   color of a client's connection                               color of a part of the cache
 *   READ -&gt; PARSE -&gt; Exchange.begin ------------------------------&gt; CHECK
 *                    CHECKED &lt;------------------------------------+
 *                       | not there, or not fresh
 *                    Dial: LOOKUP -&gt; CONNECT   (names: the threads of Lookups)
 *                    Origin: READ -&gt; to the client, DRAINED -&gt; READ
 *                    settled --------------------------------------&gt; STORE
 * </pre>
 *
 * <p>HTTP is read by {@code dev.mely.examples.http}; what {@code ProxyRequest} and {@code
 * OriginResponse} ask for beyond its grammar is RFC 9112; {@code CacheControl}, {@code Freshness},
 * {@code Vary}, {@code CacheRules} and {@code StoredResponse} are RFC 9111. None of them knows of
 * events.
 */
@NullMarked
package dev.mely.examples.proxy;

import org.jspecify.annotations.NullMarked;

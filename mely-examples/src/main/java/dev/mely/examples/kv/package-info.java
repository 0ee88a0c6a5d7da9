/**
 * A key-value server that speaks the Redis protocol: the example for {@link dev.mely.Permissions}.
 *
 * <pre>
 *   Client --- RequestReader, Reply     a connection, and its commands, each an event of its own
 *     |
 *   Command                             which keys each reads or writes, and what it does to them
 *     |
 *   Store                               the keys, in parts, each of which is a color
 * </pre>
 *
 * <p>Read {@link dev.mely.examples.kv.Store} first, then {@link dev.mely.examples.kv.Command} and
 * {@link dev.mely.examples.kv.Client}. Keys and values are bytes, kept as strings of Latin-1: one
 * character per byte.
 */
@NullMarked
package dev.mely.examples.kv;

import org.jspecify.annotations.NullMarked;

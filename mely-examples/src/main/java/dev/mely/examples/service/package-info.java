/**
 * What the small servers have in common: a protocol is written once, as a {@link
 * dev.mely.examples.service.Session} for each connection, and runs on the selectors of {@code
 * dev.mely.nio} as well as on Netty.
 *
 * <pre>
 *                 CoreServer                      NettyServer
 *   dev.mely.nio: Source, Output      Netty: ServerBootstrap, ChannelHandler
 *              |                                   |
 *        CoreConnection                     NettyConnection
 *              +---------- ServedConnection -------+        its life cycle
 *                                |
 *                            Connection                     send, pause, resume, finish
 *                                |
 *                             Session                       received, drained, ended, closed
 * </pre>
 *
 * <p>All calls between a session and its connection are made in the connection's color.
 */
@NullMarked
package dev.mely.examples.service;

import org.jspecify.annotations.NullMarked;

/**
 * A Netty event loop group whose channels are colors of a Mely runtime.
 *
 * <pre>
 *                        one per core                       one per channel (or key)
 *             +---------------------------------+
 *   socket -> | IoHandler  -- ready -->  IoPoller | --post--> Registration --+
 *             |   ^                      (section) |                          v
 *             +---|-----------------------------+               color of the ColorEventLoop
 *                 |                                                          |
 *                 |  interest, cancel, re-arm                                v
 *                 +------------------------- channel's pipeline <-- worker: home, or a thief
 * </pre>
 *
 * <p>A registration stays with the I/O handler of its home core for life; only the execution of the
 * channel moves. What touches an I/O handler runs in that core's {@link
 * dev.mely.netty.PollSection}; what touches a channel runs in its color. The two meet in {@link
 * dev.mely.netty.Registration}, whose class comment has the protocol.
 *
 * <table>
 * <caption>The types</caption>
 * <tr><td>{@link dev.mely.netty.MelyEventLoopGroup}</td><td>the group; chooses a color for each
 *     channel ({@link dev.mely.netty.LoopPool})</td></tr>
 * <tr><td>{@link dev.mely.netty.ColorEventLoop}</td><td>a color as an event loop</td></tr>
 * <tr><td>{@link dev.mely.netty.CoreEventLoop}</td><td>the fixed loop of a core, home of its
 *     thread</td></tr>
 * <tr><td>{@link dev.mely.netty.ColorExecutor}</td><td>a color for handlers, apart from their
 *     channels' ({@link dev.mely.netty.ColorExecutors} finds it by name, {@link
 *     dev.mely.netty.ColoredInitializer} by annotation)</td></tr>
 * <tr><td>{@link dev.mely.netty.LoopTimer}</td><td>scheduled tasks of a loop</td></tr>
 * <tr><td>{@link dev.mely.netty.Transport}</td><td>what NIO and epoll differ in</td></tr>
 * <tr><td>{@link dev.mely.netty.HandlerCosts}</td><td>annotations of the handlers</td></tr>
 * <tr><td>{@link dev.mely.netty.Engine}</td><td>the parts together, and their life cycle ({@link
 *     dev.mely.netty.GroupShutdown})</td></tr>
 * </table>
 *
 * <p>Public API of Netty alone: nothing here names {@code io.netty.util.internal} or sits in one of
 * Netty's packages.
 */
@NullMarked
package dev.mely.netty;

import org.jspecify.annotations.NullMarked;

/**
 * A Netty event loop group whose channels are colors of a Mely runtime.
 *
 * <pre>
 *                        one per core                       one per channel (or key)
 *             +---------------------------------+
 *   socket -&gt; | IoHandler  -- ready --&gt;  IoPoller | --post--&gt; Registration --+
 *             |   ^                      (section) |                          v
 *             +---|-----------------------------+               color of the ColorEventLoop
 *                 |                                                          |
 *                 |  interest, cancel, re-arm                                v
 *                 +------------------------- channel's pipeline &lt;-- worker: home, or a thief
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
 * <tr><td>{@link dev.mely.netty.ColorEventLoop}</td><td>a color as an event loop: its tasks ({@link
 *     dev.mely.netty.ColorTasks}), its channels ({@link dev.mely.netty.ColorChannels}) and its part
 *     in the life of the group</td></tr>
 * <tr><td>{@link dev.mely.netty.CoreEventLoop}</td><td>the fixed loop of a core, home of its
 *     thread</td></tr>
 * <tr><td>{@link dev.mely.netty.ColorExecutor}</td><td>a color for handlers, apart from their
 *     channels' ({@link dev.mely.netty.ColorExecutors} finds it by name, {@link
 *     dev.mely.netty.ColoredInitializer} by annotation)</td></tr>
 * <tr><td>{@link dev.mely.netty.PermissionExecutor}</td><td>the same for handlers that only read a
 *     color, or need several: one for each channel ({@link dev.mely.netty.PermissionExecutors}
 *     hands them out)</td></tr>
 * <tr><td>{@link dev.mely.netty.LoopTimer}</td><td>scheduled tasks of a loop</td></tr>
 * <tr><td>{@link dev.mely.netty.Transport}</td><td>what NIO, epoll and others differ in ({@link
 *     dev.mely.netty.Transports} recognizes them)</td></tr>
 * <tr><td>{@link dev.mely.netty.HandlerCosts}</td><td>annotations of the handlers</td></tr>
 * <tr><td>{@link dev.mely.netty.Cores}</td><td>pollers, fixed loops and threads, opened and closed
 *     together ({@link dev.mely.netty.GroupShutdown} when)</td></tr>
 * <tr><td>{@link dev.mely.netty.StingyAllocator}</td><td>buffers from one slab per core; the package
 *     {@code dev.mely.netty.memory} counts them, and {@link dev.mely.netty.Reads} wait where a core
 *     has too many</td></tr>
 * <tr><td>{@link dev.mely.netty.Engine}</td><td>what the loops share: the runtime, and how far the
 *     group's life has come</td></tr>
 * </table>
 *
 * <p>Classes know those below them, and few know each other:
 *
 * <pre>
 *   MelyEventLoopGroup, its builder -&gt; GroupShutdown, LoopPool, ColorExecutors
 *     -&gt; Cores -&gt; Transports, CoreEventLoop
 *     -&gt; ColorEventLoop, FreeLoops -&gt; Transport: NioTransport, EpollTransport, others
 *     -&gt; Registration, one for each of them -&gt; ColorChannels
 *     -&gt; IoPoller -&gt; PollSection, Readiness
 *     -&gt; ColorTasks, LoopTimer, TaskHandler, TailTaskQueue, Engine -&gt; Siblings, HandlerCosts
 *     -&gt; StingyAllocator, Reads -&gt; the package memory
 * </pre>
 *
 * <p>Public API of Netty alone: nothing here names {@code io.netty.util.internal} or sits in one of
 * Netty's packages.
 */
@NullMarked
package dev.mely.netty;

import org.jspecify.annotations.NullMarked;

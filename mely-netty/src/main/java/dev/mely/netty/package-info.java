/**
 * Work-stealing event loops for Netty: a group whose channels are colors of a Mely runtime.
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
 * channel moves. <em>Section</em> in a comment means: called inside that core's {@link
 * dev.mely.netty.PollSection}, as all that changes an I/O handler is. <em>Color only</em> means:
 * called by events of the channel's color, as all that changes a channel is.
 *
 * <p>How a ready channel reaches its handlers:
 *
 * <ol>
 *   <li>The core's worker calls {@link dev.mely.netty.IoPoller#poll}, which enters the {@link
 *       dev.mely.netty.PollSection} and runs Netty's {@code IoHandler}.
 *   <li>The {@code IoHandler} calls {@code handle} of what is registered with it: of our {@link
 *       dev.mely.netty.Registration}, which stands in front of the channel's own {@code IoHandle}.
 *   <li>{@link dev.mely.netty.Readiness#claim}, from IDLE to IN_FLIGHT, succeeds unless an earlier
 *       report is still on its way. The registration stores which operations are ready.
 *   <li>{@link dev.mely.netty.Registration#post} registers the registration, which is an event,
 *       with the color of the channel's event loop and the channel's {@link
 *       dev.mely.netty.ReadyHandler}.
 *   <li>The worker that runs the color, of the home core or a thief's, comes to {@link
 *       dev.mely.netty.Registration#run}. The event goes to the back of the color's queue as long
 *       as tasks of the event loop have to run first ({@link dev.mely.netty.ColorTasks}).
 *   <li>If the channel still wants to hear of it, and {@link dev.mely.netty.ReadBackPressure} lets
 *       it read, the channel's own {@code IoHandle} is called: it reads and fires its pipeline.
 *   <li>{@link dev.mely.netty.Readiness#handled} makes it IDLE again, and re-arms a channel that
 *       was masked because the core was about to wait for I/O.
 * </ol>
 *
 * <p>What a new transport needs (one that is unknown works at once, each channel on its core's
 * thread):
 *
 * <ul>
 *   <li>A subclass of {@link dev.mely.netty.Transport}, and its name in {@link
 *       dev.mely.netty.Transports}, in the list and in the switch. That is all if its channels stay
 *       on one thread: see {@link dev.mely.netty.KQueueTransport}.
 *   <li>If its channels are to move, the handler must be level-triggered and take {@code submit}
 *       and {@code cancel} from any thread. The transport then has a subclass of {@link
 *       dev.mely.netty.Registration}, which implements the type of {@code IoHandle} that the
 *       handler takes: see {@link dev.mely.netty.NioRegistration}.
 *   <li>If its classes are an optional dependency: {@code requires static} in {@code
 *       module-info.java}, and a line in {@code ArchitectureTest}.
 *   <li>In the tests, a constant of {@code SuiteIo}: Netty's own tests of sockets then run on it.
 * </ul>
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
 * <tr><td>{@link dev.mely.netty.LoopRegistration}</td><td>a channel's registration: a {@link
 *     dev.mely.netty.Registration} if the channel moves, else a {@link
 *     dev.mely.netty.PinnedRegistration}</td></tr>
 * <tr><td>{@link dev.mely.netty.HandlerCosts}</td><td>annotations of the handlers; what is not
 *     declared starts from a {@link dev.mely.netty.CostPrior}</td></tr>
 * <tr><td>{@link dev.mely.netty.Cores}</td><td>pollers, fixed loops and threads, opened and closed
 *     together ({@link dev.mely.netty.GroupShutdown} when)</td></tr>
 * <tr><td>{@link dev.mely.netty.StingyAllocator}</td><td>buffers from one slab per core; the package
 *     {@code dev.mely.netty.memory} counts them, and {@link dev.mely.netty.ReadBackPressure} delays
 *     reads where a core has too many</td></tr>
 * <tr><td>{@link dev.mely.netty.GroupState}</td><td>what the loops share: the runtime, and how far
 *     the group's life has come</td></tr>
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
 *     -&gt; ColorTasks, LoopTimer, TaskHandler, TailTaskQueue, GroupState -&gt; CostPrior, HandlerCosts
 *     -&gt; StingyAllocator, ReadBackPressure -&gt; the package memory
 * </pre>
 *
 * <p>Public API of Netty alone: nothing here names {@code io.netty.util.internal} or sits in one of
 * Netty's packages.
 */
@NullMarked
package dev.mely.netty;

import org.jspecify.annotations.NullMarked;

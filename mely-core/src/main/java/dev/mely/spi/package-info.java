/**
 * What a new transport implements: a {@link dev.mely.spi.Poller} for each core, made by the {@link
 * dev.mely.spi.Poller.Factory} that is given to {@code MelyBuilder.pollers}.
 *
 * <pre>
 *   worker of core i                        poller of core i              the transport
 *   batch, batch, ...  -- poll(0) --------&gt; looks, does not wait
 *   nothing to run     -- poll(nanos) ----&gt; waits for input  &lt;---------- input
 *                                           registers events with colors
 *   a producer, a thief, a timer -- wakeup() ---&gt; the wait ends
 *   the runtime has ended        -- close() ----&gt; releases its resources
 * </pre>
 *
 * <p>A transport needs:
 *
 * <ul>
 *   <li>{@code poll}: turn what has come in into events, by {@code Mely.register}, and wait no
 *       longer than it is told. Inside {@code poll} run no code of the program: a handler that
 *       blocks there would block the core, and a thief could not take it.
 *   <li>{@code wakeup}: end the wait of {@code poll}, also one that has not begun yet. Usually a
 *       flag, set before the waiter is looked for, which {@code poll} reads after it has said that
 *       it is about to wait, both volatile (Dekker pattern).
 *   <li>{@code isTransferable}: false if only one thread may use the transport's selector; no other
 *       worker can then poll for a core that is stuck in a handler.
 *   <li>{@code close}: called once, after the last {@code poll}, by another thread where the core's
 *       own has not ended.
 * </ul>
 *
 * <p>Examples: {@code SelectorPoller} in {@code dev.mely.nio}, on the JDK's selectors, tells its
 * wake-up protocol; {@code IoPoller} in {@code dev.mely.netty} drives Netty's I/O handlers. The
 * default, {@code SystemHost.ParkingPoller}, is the shortest.
 */
@NullMarked
package dev.mely.spi;

import org.jspecify.annotations.NullMarked;

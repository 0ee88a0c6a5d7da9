/**
 * What the outside world brings to a runtime, as colored events: connections, readiness of
 * channels, signals, results of name lookups and file reads. {@link dev.mely.nio.Nio} is the way
 * in.
 *
 * <pre>
 *                 one per core                      one per channel and kind
 *              +------------------+
 *   channel -&gt; | Selector         | -- ready --&gt; ChannelKey --&gt; Source == Event
 *              |  SelectorPoller  |                  ^            |  register
 *              +------------------+                  |            v
 *                 ^          ^                       |          Color --&gt; Worker --&gt; handler
 *                 |          +-- interest, wake-up --+                      |
 *    idle worker waits here                          |                      |
 *                                                    +------- arm ----------+
 *
 *   lookup, read, call --&gt; Helpers (four threads) --&gt; Operation == Event --&gt; Color
 *   signal             --&gt; Signals                --&gt; Source == Event    --&gt; Color
 * </pre>
 *
 * <p>A registration stays with the selector of its home core; only the execution of its events
 * moves when a color is stolen. A source has at most one event in flight. While it has, it is not
 * in the selector's interest set, so a wait does not spin on input that is about to be handled.
 * {@code SourceEvent} has the protocol between poll and handler, {@code SelectorPoller} that
 * between poll and waker; there are no locks between them.
 *
 * <p>Uses the public API of {@link dev.mely} alone, and no other package.
 *
 * <p>Sources: N. Zeldovich et al., USENIX 2003 (libasync-smp), sections 2 (kinds of events) and 3
 * (select callback); Eve, sections 3 and 6 (an idle core waits in its own selector).
 */
@NullMarked
package dev.mely.nio;

import org.jspecify.annotations.NullMarked;

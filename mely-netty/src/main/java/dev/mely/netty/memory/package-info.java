/**
 * The memory of a group's buffers, per core, and the bound of how much of it may be in use. Not
 * exported: users see {@code StingyAllocator}, a Netty allocator in front of {@link
 * dev.mely.netty.memory.Slabs}.
 *
 * <pre>
 *   WorkingSet -- one per core that has delayed a read --&gt; ReadQueue -- waiting --&gt; Waiter
 *       |                                                     ^
 *       | has this core room?                                 | memory has been freed
 *       v                                                     |
 *     Slabs -------- one per worker --------------------&gt; CoreMemory --&gt; Pool, the core's slab
 *       ^                                                  |     ^
 *       | a larger block, to grow into       makes, reuses |     | freed, by any thread
 *       |                                                  v     |
 *       +---------------------------------------- StingyBuf --&gt; Block, from the slab or fallback
 * </pre>
 *
 * <p>A core's memory is allocated by the core's thread and freed by any: {@link
 * dev.mely.netty.memory.CoreMemory} counts both. {@link dev.mely.netty.memory.WorkingSet} asks it
 * before each read. A read for which there is no room waits in a {@link
 * dev.mely.netty.memory.ReadQueue}, which is called each time a block is freed.
 *
 * <p>The package knows nothing of event loops and channels: what waits is a {@link
 * dev.mely.netty.memory.ReadQueue.Waiter}, and the runtime's colors and timers are those of {@link
 * dev.mely}.
 *
 * <p>Source: Stingy Allocator (ISMM'06), sections 3.1 (slabs) and 3.2 (the bound).
 */
@NullMarked
package dev.mely.netty.memory;

import org.jspecify.annotations.NullMarked;

/**
 * The memory of a group's buffers, per core, and the bound of what of it may be in use. Not
 * exported: users see {@code StingyAllocator}, an allocator of Netty in front of {@link
 * dev.mely.netty.memory.Slabs}.
 *
 * <pre>
 *   WorkingSet -- one per core that has put off a read --&gt; ReadGate -- a line --&gt; Waiter
 *       |                                                     ^
 *       | has this core room?                                 | something has been freed
 *       v                                                     |
 *     Slabs -------- one per worker --------------------&gt; CoreMemory --&gt; Pool, the core's slab
 *       ^                                                  |     ^
 *       | a larger block, to grow into       makes, reuses |     | freed, by any thread
 *       |                                                  v     |
 *       +---------------------------------------- StingyBuf --&gt; Block, of the slab or beside it
 * </pre>
 *
 * <p>A core's memory is taken by the core's thread and given back by any: {@link
 * dev.mely.netty.memory.CoreMemory} counts both. {@link dev.mely.netty.memory.WorkingSet} asks it
 * before each read, and what has to wait for memory stands in the line of a {@link
 * dev.mely.netty.memory.ReadGate}, which hears of everything that is freed.
 *
 * <p>Knows nothing of event loops and channels: who waits is a {@link
 * dev.mely.netty.memory.ReadGate.Waiter}, and the runtime's colors and timers are those of {@link
 * dev.mely}.
 *
 * <p>Source: Stingy Allocator (ISMM'06), sections 3.1 (slabs) and 3.2 (the bound).
 */
@NullMarked
package dev.mely.netty.memory;

import org.jspecify.annotations.NullMarked;

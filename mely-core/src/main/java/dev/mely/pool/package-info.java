/**
 * Memory with a bound: per core one slab outside the heap, divided into a fixed number of instances
 * of each kind of object.
 *
 * <p>This is the allocator of the Stingy Allocator paper (ISMM'06, section 3): an event-driven
 * program whose live data stay within τ bytes keeps them in the cache. How many instances of what
 * object there are is a {@linkplain dev.mely.stage.Plan plan}, made elsewhere; a {@link
 * dev.mely.pool.Pool} never exceeds it. Where a plan turns out to be wrong, {@link
 * dev.mely.pool.Pool#take} returns nothing, and the caller takes its memory from elsewhere: a wrong
 * estimate costs speed, never correctness.
 *
 * <p>What differs from the paper: its machine has one processor and maps the slab to a contiguous
 * region of the cache. Here each core has a pool of its own, what is freed by another core's thread
 * finds its way back, and of the slab's place in the cache nothing is said but its size: Java knows
 * virtual addresses only.
 *
 * <p>The package knows nothing of events, colors or workers. It reads plans of {@code
 * dev.mely.stage}, and asks {@code dev.mely.topology} for the size of a cache.
 */
@NullMarked
package dev.mely.pool;

import org.jspecify.annotations.NullMarked;

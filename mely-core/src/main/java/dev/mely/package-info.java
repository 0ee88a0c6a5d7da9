/**
 * The runtime. One way through, and one back edge, the steal:
 *
 * <pre>
 * register(color, handler, event)
 *       |
 *       v
 *    Color  -- the color-queue: mailbox of this color, knows its core
 *       | became non-empty
 *       v
 *    CoreQueue of that core --&gt; Worker: batch of up to 10 events --&gt; handler
 *       | became worthy              ^
 *       v                            | when idle, or where far more waits
 *    StealingQueue (three intervals) --&gt; Thief (VictimOrder: by cache distance)
 * </pre>
 *
 * <p>{@link dev.mely.Mely} is the way in. Policy ({@code VictimOrder}, {@code Worthiness}, {@link
 * dev.mely.StealPolicy}) is kept apart from mechanism ({@code Scheduler}, {@code Worker}, {@code
 * Thief}). Time, randomness, threads and parking come through {@code Host} alone, so that tests can
 * run these classes step by step in any order.
 *
 * <p>Accesses to shared fields are named by their memory order: {@code getOpaque}, {@code
 * setRelease}, {@code compareAndSet}; a plain access to a shared field says why that is enough.
 *
 * <p>Sources: N. Zeldovich et al., Multiprocessor Support for Event-Driven Programs, USENIX 2003
 * (libasync-smp); F. Gaud et al., Efficient Workstealing for Multicore Event-Driven Systems, ICDCS
 * 2010 (Mely).
 */
@NullMarked
package dev.mely;

import org.jspecify.annotations.NullMarked;

/**
 * What Mely is compared with, all behind one interface, {@link dev.mely.bench.baseline.Contestant}:
 *
 * <ul>
 *   <li>the papers' own runtimes: {@link dev.mely.bench.baseline.Libasync} and {@link
 *       dev.mely.bench.baseline.SpinlockMely}, with the same padding, pinning and reuse of events
 *       on both sides (Mely, ICDCS 2010, section IV-C);
 *   <li>what Java programs use today instead of colors: {@link
 *       dev.mely.bench.baseline.GuavaContestant}, {@link
 *       dev.mely.bench.baseline.MailboxContestant}, {@link
 *       dev.mely.bench.baseline.NonStickyContestant}, {@link
 *       dev.mely.bench.baseline.PekkoContestant}, {@link
 *       dev.mely.bench.baseline.VirtualThreadContestant};
 *   <li>{@link dev.mely.bench.baseline.MelyContestant}, the runtime itself;
 *   <li>and {@link dev.mely.bench.baseline.CeilingContestant}, not a runtime, but the maximum for
 *       the machine.
 * </ul>
 *
 * <p>The baselines only schedule events: no I/O, no timers, no handling of exceptions.
 */
@NullMarked
package dev.mely.bench.baseline;

import org.jspecify.annotations.NullMarked;

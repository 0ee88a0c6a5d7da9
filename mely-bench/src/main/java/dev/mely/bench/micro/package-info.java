/**
 * Microbenchmarks of the runtime and of what it is compared with, run by JMH.
 *
 * <pre>
 *   MicroCommand     options, tables            Micro             the benchmarks, by name
 *        |                                        |
 *   MicroRun         a fresh JVM per sample     Scenario          what one does with a contestant:
 *        |                                        Rounds            Unbalanced, Penalty, CacheEfficient
 *   Microbenchmarks  in that JVM, under JMH       Relay, Producers, ShortLived, IdleColors
 *     Game, Counts   what plays, what it counts
 * </pre>
 *
 * <p>{@code unbalanced}, {@code penalty} and {@code cacheEfficient} are the paper's (Mely, ICDCS
 * 2010, section V-B); {@code chains} is libasync-smp's (USENIX 2003, table 2).
 */
@NullMarked
package dev.mely.bench.micro;

import org.jspecify.annotations.NullMarked;

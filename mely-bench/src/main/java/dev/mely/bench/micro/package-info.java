/**
 * Microbenchmarks of the runtime and its competitors, run by JMH.
 *
 * <pre>
 *   MicroCommand     options, tables            Micro             the benchmarks, by name
 *        |                                        |
 *   MicroRun         a fresh JVM per sample     Scenario          a load for a contestant:
 *        |                                        Rounds            Unbalanced, Penalty, CacheEfficient
 *   Microbenchmarks  in that JVM, under JMH       Relay, Producers, ShortLived, IdleColors
 *     Game, Counts   the contestant, its counters
 * </pre>
 *
 * <p>{@code unbalanced}, {@code penalty} and {@code cacheEfficient} are the paper's (Mely, ICDCS
 * 2010, section V-B); {@code chains} is libasync-smp's (USENIX 2003, table 2).
 */
@NullMarked
package dev.mely.bench.micro;

import org.jspecify.annotations.NullMarked;

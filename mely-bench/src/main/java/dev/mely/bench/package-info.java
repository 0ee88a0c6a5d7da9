/**
 * Shared code of the benchmarks. Each benchmark is a subcommand of {@link dev.mely.bench.Main},
 * compares its configurations in fresh JVMs, interleaved, prints a table and writes its raw samples
 * to a JSON file.
 */
@NullMarked
package dev.mely.bench;

import org.jspecify.annotations.NullMarked;

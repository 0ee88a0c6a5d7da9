/**
 * The benchmarks: what they share. Each is a subcommand of {@link dev.mely.bench.Main}, compares
 * its configurations side by side in fresh JVMs, interleaved, prints one table and leaves its raw
 * samples in a JSON file.
 */
@NullMarked
package dev.mely.bench;

import org.jspecify.annotations.NullMarked;

/**
 * Benchmarks of other properties than throughput: latency under a mixed load (requirement B13), the
 * cost of being idle, and how a blocking handler delays others (B12).
 */
@NullMarked
package dev.mely.bench.runtime;

import org.jspecify.annotations.NullMarked;

/**
 * What the runtime promises beside throughput: latency under a mixed load (requirement B13), the
 * price of being idle, and what a handler that blocks its core does to all others (B12).
 */
@NullMarked
package dev.mely.bench.runtime;

import org.jspecify.annotations.NullMarked;

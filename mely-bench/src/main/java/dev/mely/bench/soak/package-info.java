/** A soak: hours of random load, failures and restarts, with every event accounted for. */
@NullMarked
package dev.mely.bench.soak;

import org.jspecify.annotations.NullMarked;

/** Starting threads and processes from a worker that is pinned to a CPU. */
@NullMarked
package dev.mely.pinning;

import org.jspecify.annotations.NullMarked;

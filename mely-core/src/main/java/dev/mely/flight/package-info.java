/**
 * What the runtime tells the flight recorder. A leaf: it knows nothing of the runtime, and works
 * where the {@code jdk.jfr} module is missing. Not exported.
 */
@NullMarked
package dev.mely.flight;

import org.jspecify.annotations.NullMarked;

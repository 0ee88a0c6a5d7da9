/** Meters for Micrometer, which is an optional dependency. */
@NullMarked
package dev.mely.netty.metrics;

import org.jspecify.annotations.NullMarked;

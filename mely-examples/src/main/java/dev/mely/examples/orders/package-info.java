/** One key, two sources: requests and timers of an order run one at a time, in its color. */
@NullMarked
package dev.mely.examples.orders;

import org.jspecify.annotations.NullMarked;

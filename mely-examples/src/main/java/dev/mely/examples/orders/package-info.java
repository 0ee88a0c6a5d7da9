/**
 * One key, two sources: what concerns an order runs in the order's color, whatever it came from.
 */
@NullMarked
package dev.mely.examples.orders;

import org.jspecify.annotations.NullMarked;

/** The Eve paper's atomic counter (section 4.2): one number that all connections share. */
@NullMarked
package dev.mely.examples.counter;

import org.jspecify.annotations.NullMarked;

/** The Eve paper's echo server (section 4.1): every byte comes back, in order. */
@NullMarked
package dev.mely.examples.echo;

import org.jspecify.annotations.NullMarked;

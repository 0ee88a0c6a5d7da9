/**
 * Applications built on Mely, each started by one command: {@code java -jar mely-examples.jar sws}.
 *
 * <p>{@link dev.mely.examples.Main} is the command line; every application has a package of its own
 * and can also be started from code.
 */
@NullMarked
package dev.mely.examples;

import org.jspecify.annotations.NullMarked;

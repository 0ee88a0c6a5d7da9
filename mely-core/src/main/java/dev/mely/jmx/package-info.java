/** The runtime as a managed bean. Needs {@code java.management}. */
@NullMarked
package dev.mely.jmx;

import org.jspecify.annotations.NullMarked;

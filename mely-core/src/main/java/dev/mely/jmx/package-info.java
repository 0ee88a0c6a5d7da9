/** The runtime as a managed bean, for those who ask for one. Needs {@code java.management}. */
@NullMarked
package dev.mely.jmx;

import org.jspecify.annotations.NullMarked;

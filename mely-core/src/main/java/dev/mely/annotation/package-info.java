/**
 * What a handler class may declare: its cost, its penalty and its color. A leaf: it knows nothing
 * of the runtime.
 */
@NullMarked
package dev.mely.annotation;

import org.jspecify.annotations.NullMarked;

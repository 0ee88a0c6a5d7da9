/**
 * What a handler class may declare: its cost, its penalty, its color, what it allocates and what it
 * frees. A leaf: it knows nothing of the runtime.
 */
@NullMarked
package dev.mely.annotation;

import org.jspecify.annotations.NullMarked;

/** What BlockHound, an optional dependency, learns of the workers. Not exported. */
@NullMarked
package dev.mely.netty.blocking;

import org.jspecify.annotations.NullMarked;

/**
 * How far event loops that steal whole channels would have shared the work of some time better: the
 * arithmetic behind the doctor and the monitor. It knows nothing of Netty, nor of Mely: it is part
 * of the doctor's jar, too.
 */
@NullMarked
package dev.mely.netty.sharing;

import org.jspecify.annotations.NullMarked;

/**
 * Suites that take their group by a parameter, and what was seen to go wrong in suites that no
 * package registry has.
 */
@NullMarked
package dev.mely.netty.peers.suites;

import org.jspecify.annotations.NullMarked;

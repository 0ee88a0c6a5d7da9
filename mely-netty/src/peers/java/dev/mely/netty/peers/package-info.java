/**
 * Suites of others, as they are published, on a {@link dev.mely.netty.MelyEventLoopGroup} and on
 * Netty's own group: only what differs counts.
 *
 * <p>Each suite runs in a virtual machine of its own, once per {@link dev.mely.netty.peers.Mode}.
 * There {@link dev.mely.netty.peers.GroupRewriter} has each {@code new
 * MultiThreadIoEventLoopGroup(...)} of the suite and of the library that it tests ask {@link
 * dev.mely.netty.peers.PeerGroups} for a group instead: the one line that a user changes.
 */
@NullMarked
package dev.mely.netty.peers;

import org.jspecify.annotations.NullMarked;

/**
 * The frameworks above Netty, as they are published, on a {@link
 * dev.mely.netty.MelyEventLoopGroup}.
 *
 * <p>Each test class runs its framework's server and client on one group, in every {@link
 * dev.mely.netty.frameworks.Setting}: on both transports, with stealing as it is by default, and
 * with a random core at each activation. What is checked is what a user of the framework relies on:
 * contents, order, callbacks that exclude each other, and that no buffer and no thread is left.
 */
package dev.mely.netty.frameworks;

/**
 * Event loops for Vert.x 5, which is an optional dependency. Not exported: Vert.x finds {@link
 * dev.mely.netty.vertx.VertxSupport} by the service loader.
 */
@NullMarked
package dev.mely.netty.vertx;

import org.jspecify.annotations.NullMarked;

/**
 * Event loops for Micronaut, which is an optional dependency. Not exported: Micronaut finds {@link
 * dev.mely.netty.micronaut.MicronautSupport} by the service loader.
 */
@NullMarked
package dev.mely.netty.micronaut;

import org.jspecify.annotations.NullMarked;

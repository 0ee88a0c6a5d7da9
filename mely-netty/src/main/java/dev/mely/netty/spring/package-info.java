/**
 * Spring Boot's auto-configuration, which it finds by its file in {@code META-INF/spring}. Not
 * exported. Spring is an optional dependency.
 */
@NullMarked
package dev.mely.netty.spring;

import org.jspecify.annotations.NullMarked;

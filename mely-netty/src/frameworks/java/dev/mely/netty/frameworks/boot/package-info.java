/** The Spring Boot application of docs/netty.md: it scans its package, which is this one alone. */
package dev.mely.netty.frameworks.boot;

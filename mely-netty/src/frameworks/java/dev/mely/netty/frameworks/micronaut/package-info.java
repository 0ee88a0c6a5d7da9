/** The Micronaut application of docs/netty.md. */
package dev.mely.netty.frameworks.micronaut;

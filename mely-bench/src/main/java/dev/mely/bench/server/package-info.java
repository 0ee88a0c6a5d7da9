/**
 * Benchmarks of whole servers: event loop groups in turn, each sample's server in a JVM of its own,
 * loaded from the JVM that drives the comparison.
 *
 * <pre>
 *   EchoCommand, SkewCommand, CompareCommand      the comparison: configurations, samples in turn, table
 *        | starts one per sample
 *        v
 *   ServerProcess  ---- stdin, stdout ----  ServerMain      a JVM of its own
 *   EchoClient, SkewClient  ---- TCP ----  EchoHandler, ServiceHandler
 * </pre>
 */
@NullMarked
package dev.mely.bench.server;

import org.jspecify.annotations.NullMarked;

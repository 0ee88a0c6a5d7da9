/**
 * Benchmarks of whole servers: event loop groups in turn, each sample's server in a JVM of its own,
 * loaded from the JVM that drives the comparison.
 *
 * <pre>
 *   EchoCommand, EveCommand, SkewCommand, CompareCommand, SwsCommand     what is compared, and the table
 *   StartupCommand
 *        | Contenders
 *   Comparison                                              samples in turn, each measured by a Meter
 *        | starts a Server for each                         after a WarmUp, and again as EqualWork
 *        v
 *   ServerProcess  ---- stdin, stdout ----  ServerMain      a JVM of its own; or Nginx
 *   ClosedLoop  ---- TCP ----  EchoHandler, CounterHandler
 *   SkewClient  ---- TCP ----  ServiceHandler
 *   Wrk  ---- HTTP ----  SwsServer of mely-examples, or Nginx
 *   LoadClient  ---- TCP, HTTP ----  all but ServiceHandler; in an open loop or a closed one
 * </pre>
 */
@NullMarked
package dev.mely.bench.server;

import org.jspecify.annotations.NullMarked;

/**
 * Benchmarks of whole servers: event loop groups in turn, with each sample's server in a JVM of its
 * own, loaded by the JVM of the comparison.
 *
 * <pre>
 *   EchoCommand, EveCommand, SkewCommand, CompareCommand, SwsCommand     what is compared, and the table
 *   StartupCommand
 *        | Contenders
 *   Comparison                                              samples in turn, each measured by a Meter
 *        | starts a Server for each                         after a WarmUp, and again as EqualWork
 *        v
 *   ServerProcess  ---- stdin, stdout ----  ServerMain      a JVM of its own; or Nginx
 *   LoadClient  ---- TCP, HTTP ----  all of them, in a closed loop or an open one; or both: SkewClient
 *   Wrk  ---- HTTP ----  SwsServer of mely-examples, or Nginx
 *
 *   StreamsCommand                                          all servers at a time, one connection
 *   H2load, GrpcClient  ---- HTTP/2 ----  StreamsMain       an Offload runs its Http2Service or GrpcService
 * </pre>
 */
@NullMarked
package dev.mely.bench.server;

import org.jspecify.annotations.NullMarked;

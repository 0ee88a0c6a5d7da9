/**
 * The tests of the group, and what they are made of. A test checks that the classes named here
 * exist.
 *
 * <ul>
 *   <li>Servers and clients: {@code Harness} (a server on the group under test, clients on a group
 *       of Netty's own), {@code Echoes} (both on one group), {@code DnsBed} (a name server, and a
 *       resolver group that counts its sockets).
 *   <li>Transports as a test's parameter: {@code Io} (NIO and epoll, whose channels have colors),
 *       {@code Wire} (every transport that this machine has), {@code PipeHandle} (an I/O handle
 *       without a channel of Netty's).
 *   <li>Checks: {@code SequenceHandler} (each callback is alone and in order), {@code Life} (how
 *       each channel ends), {@code LeakCounter} (leaked buffers), {@code LosesBuffers} (not those
 *       of planted bugs), {@code Descriptors}, {@code ConnectionBytes} (heap per connection).
 *   <li>Processes: {@code ChildJvm}, {@code FewDescriptors} (a server that runs out of
 *       descriptors).
 *   <li>The contract of an event loop: {@code LoopContract} (an automaton that is shown all that
 *       happens), {@code LoopGroups} (the groups that a row is checked against; Netty's own is the
 *       control), {@code LoopProgram}, {@code LoopRun}, {@code LoopEnd} and {@code LoopBed} (random
 *       programs and their runs), {@code FaultyLoop} (Netty's loop with a planted fault).
 *   <li>Off-loaded handlers: {@code OffloadBed} (a server whose channels have them, on each kind of
 *       group), {@code OffloadWitness} (notes each callback, and whether it is in its color),
 *       {@code OffloadProgram} and {@code OffloadRun} (random programs for the handlers of a
 *       channel, and their runs in the pipeline and off-loaded).
 *   <li>Netty's own socket tests on this group: {@code SuiteBed}, {@code SuiteIo}, {@code
 *       StreamSuite}, {@code InetSuite}, {@code DomainSuite}; {@code StockFailures} and {@code
 *       StockSuite} list and check which of them fail on Netty's own group.
 * </ul>
 */
package dev.mely.netty;

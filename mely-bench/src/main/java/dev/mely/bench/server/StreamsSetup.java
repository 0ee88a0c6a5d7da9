package dev.mely.bench.server;

/**
 * Arguments of a {@link StreamsMain}.
 *
 * @param protocol of the connection
 * @param offload what runs the handlers of its streams
 * @param transport of the group
 * @param cores event loops, and threads of a pool
 */
record StreamsSetup(Protocol protocol, Offload offload, Transport transport, int cores) {}

/**
 * Hostile clients: a test kit against any HTTP/1.1 file server that listens somewhere.
 *
 * <p>{@link dev.mely.examples.sws.hostile.HostileClients} draws attacks from a seed, which it
 * prints, for as long as it is told, beside well-behaved clients that check each byte they get. By
 * hand: {@code java -cp ... dev.mely.examples.sws.hostile.HostileClients HOST PORT FOLDER SECONDS
 * SEED}, where the server serves the folder, which the kit has filled and goes on changing.
 */
package dev.mely.examples.sws.hostile;

package dev.mely.examples.kv;

/**
 * That a client wants to know whether a key changes. Belongs to the color of the key's partition.
 *
 * @param client is told by its flag
 * @param key which
 * @param hash of the key
 * @param present whether it was there, so that its end is a change
 */
record Watch(Client client, Bytes key, long hash, boolean present) {}

package dev.mely.bench.server;

import java.util.concurrent.Callable;

/**
 * One side of a comparison.
 *
 * @param <L> what clients are told of what to do
 * @param label its name in tables
 * @param reference the name of the one with which it is compared; its own if it is the reference
 * @param load what its clients do
 * @param starter starts the server of one sample
 */
record Contender<L>(String label, String reference, L load, Callable<Server> starter) {}

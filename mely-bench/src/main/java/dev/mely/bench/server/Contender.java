package dev.mely.bench.server;

import java.util.concurrent.Callable;

/**
 * One side of a comparison.
 *
 * @param <L> type of the load
 * @param label its name in tables
 * @param reference label of its reference; its own if it is one
 * @param load what its clients do
 * @param starter starts the server of one sample
 */
record Contender<L>(String label, String reference, L load, Callable<Server> starter) {}

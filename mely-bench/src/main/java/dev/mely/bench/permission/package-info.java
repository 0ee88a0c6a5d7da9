/**
 * JMH benchmarks that compare permissions with the usual solutions, run by {@code java -jar
 * benchmarks.jar permission}.
 */
@NullMarked
package dev.mely.bench.permission;

import org.jspecify.annotations.NullMarked;

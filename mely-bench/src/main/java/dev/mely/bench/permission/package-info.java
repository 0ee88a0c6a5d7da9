/**
 * What permissions are worth, beside what people write today: JMH benchmarks of their own, by
 * {@code java -jar benchmarks.jar permission}.
 */
@NullMarked
package dev.mely.bench.permission;

import org.jspecify.annotations.NullMarked;

/**
 * Microbenchmarks of the runtime alone, run by JMH. {@code unbalanced} is the paper's (Mely, ICDCS
 * 2010, section V-B, Tables III and IV).
 */
@NullMarked
package dev.mely.bench.micro;

import org.jspecify.annotations.NullMarked;

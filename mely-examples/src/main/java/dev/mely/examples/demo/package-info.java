/**
 * The same server on Netty's own event loop group and on Mely's, under a load that is set from a
 * page: what each makes of it.
 *
 * <pre>
 *   page  &lt;--- events ---  demo  --- whose turn it is ---&gt;  load  --- requests ---&gt;  Netty | Mely
 *         ---- settings -&gt;       &lt;-- answers, latencies ---
 *                                &lt;---------- figures of the cores (the monitor) ----------
 * </pre>
 *
 * <p>The four are processes. The two servers take turns of a second, so that each has the machine
 * for itself.
 */
@NullMarked
package dev.mely.examples.demo;

import org.jspecify.annotations.NullMarked;

/**
 * What caches do with a server's buffers: every access to one is fed to a model of the second-level
 * cache while the server runs.
 *
 * <pre>
 *   server --buffers--&gt; TracingAllocator, TracingBuf --addresses--&gt; Trace --&gt; SetCache, of some sizes
 * </pre>
 */
@NullMarked
package dev.mely.bench.cache;

import org.jspecify.annotations.NullMarked;

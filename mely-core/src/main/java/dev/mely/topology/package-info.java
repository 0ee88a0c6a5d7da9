/**
 * Internal, and no part of the API: it may change with any version. What the runtime must know of
 * the machine: which CPUs share which cache ({@link dev.mely.topology.Topology}), which CPUs and
 * how much of them this process may use ({@link dev.mely.topology.AllowedCpus}), and how a worker's
 * thread is bound to one ({@link dev.mely.topology.Pinning}).
 *
 * <p>This is the cache map of the Mely paper (ICDCS'10, sections III-A and IV-B a), read from
 * {@code /sys} at start-up, and its one pinned thread per core (section IV-C). The package is a
 * leaf: it knows nothing of events, colors or workers, and could serve any other scheduler.
 *
 * <p>Nothing here fails on an odd machine. What cannot be read is left out, what contradicts itself
 * is ignored, and a note says so; a machine that tells nothing becomes a flat one, on which all
 * CPUs are equally far apart. Every file is looked up below a root that the caller may replace, so
 * that a recorded machine serves as well as the running one.
 *
 * <p>CPUs go by the kernel's number everywhere: 0 or more, holes allowed.
 */
@NullMarked
package dev.mely.topology;

import org.jspecify.annotations.NullMarked;

/**
 * The simulator: the real classes of the runtime and of the baselines, under a virtual clock that
 * charges each step its cost on a simulated machine. {@link dev.mely.bench.sim.SimCommand} is its
 * command; all its results are <em>simulated</em>.
 *
 * <pre>
 *   Simulation ──► Clock          the next actor: the core, or the source, with the earliest time
 *       │    └──► Machine         costs of steps: locks, transfers of cache lines, working sets
 *       ▼
 *   SimRuntime: SimMely (dev.mely.VirtualRuntime), SimBaseline (libasync, spinlock Mely)
 *       │
 *       ▼
 *   Task: what an event works, touches and registers;  made by a Workload
 * </pre>
 */
@NullMarked
package dev.mely.bench.sim;

import org.jspecify.annotations.NullMarked;

/**
 * The simulator: the runtime's real classes, and those of the baselines, under a clock that charges
 * each step what it costs on a machine that need not be here. {@link dev.mely.bench.sim.SimCommand}
 * is its command; everything that it says is <em>simulated</em>.
 *
 * <pre>
 *   Simulation ──► Clock          whose turn it is: the core, or the source, whose time is least
 *       │    └──► Machine         what a step costs: locks, cache lines that move, working sets
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

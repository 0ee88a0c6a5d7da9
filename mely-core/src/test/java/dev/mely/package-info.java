/**
 * The tests of the runtime, and what they are made of. What each layer of proof shows, and what it
 * cannot show, is in {@code docs/proof.md}. A test checks that the classes named here exist.
 *
 * <h2>Which helper to take</h2>
 *
 * <ul>
 *   <li>A class that needs no runtime ({@code TurnOrder}, {@code TimerQueue}): the class alone,
 *       with {@code SettingsBuilder} for settings.
 *   <li>What one worker or thief does next: {@code StillMely}. The test decides who makes a step
 *       and when time passes.
 *   <li>A rule that must hold in every order of steps: {@code Schedule}. It draws orders from a
 *       seed and runs the real classes.
 *   <li>The same between two memory accesses of one step: {@code Strand} and {@code SteppingLoader}
 *       in a {@code Schedule}, or in a {@code Duel} of two or three actors.
 *   <li>One data structure against its sequential specification: Lincheck with {@code Exploration};
 *       for whole runtimes {@code MonitorHost} or {@code MonitorRuntime}.
 *   <li>An order of memory accesses: a jcstress race in {@code src/proof}, made from {@code Races}.
 *   <li>Real threads, time and load: a {@code Mely} of {@code Runtimes}, with {@code SerialCheck}
 *       or {@code Tally} as its handler.
 *   <li>Channels of {@code dev.mely.nio}: {@code Rig} with {@code TestPipe} or {@code Echo}.
 *   <li>That a test would notice a bug: {@code Mutant} plants the bug into the source of a class;
 *       {@code LincheckMutant} adds the scenario that has to find it.
 * </ul>
 *
 * <h2>A busy machine</h2>
 *
 * <p>A test must pass where a thread gets no CPU for a second:
 *
 * <ul>
 *   <li>What must happen eventually has two minutes ({@code Patience}, found by JUnit in all
 *       modules). What must not happen is prevented by a latch, not by a wait.
 *   <li>What depends on who is first (steals, take-overs) is not counted, or is made to happen.
 *   <li>A rate ("does not spin") is compared with the time that really went by.
 *   <li>The size of a socket's buffer is set by the test. The common pool may have one thread.
 *   <li>Generated inputs come from {@code -Dmely.fuzz.seed=1}, and from other seeds each night.
 *   <li>A long test has the tag {@code long}, or looks at {@code -Dmely.proof=true}; only {@code
 *       -Pproof} runs it.
 * </ul>
 *
 * <h2>Three hosts</h2>
 *
 * <p>{@code Host} is time, randomness and threads. Production has {@code SystemHost}; tests have
 *
 * <ul>
 *   <li>{@code FakeHost}: no threads, the test makes each step, time passes when the test says so.
 *       For {@code StillMely} and unit tests.
 *   <li>{@code SimHost}: no threads, a seed decides who makes a step, time is virtual, a waiting
 *       worker is left out of the draw, and the seed may let steps and pollers fail. For {@code
 *       Schedule}. It is a {@code VirtualHost}, which with {@code VirtualPoller} and {@code
 *       VirtualWorker} lies in {@code src/driver}: the simulator of {@code mely-bench} has them
 *       too.
 *   <li>{@code MonitorHost}: threads of Lincheck; a worker waits in a monitor, so that a lost
 *       wake-up is seen as a hang. For {@code LincheckRuntimeTest} and others.
 * </ul>
 *
 * <h2>All helpers</h2>
 *
 * <ul>
 *   <li>Runtimes: {@code Runtimes} (must have ended after the test), {@code TwoCores} (two cores,
 *       three colors), {@code SettingsBuilder} (small figures, everything optional off).
 *   <li>Handlers and events: {@code Busy} (computes for a while), {@code Numbered} (an event with a
 *       number), {@code Noting} (notes in order what ran and what was rejected), {@code Tally} (the
 *       same as counts, for several threads), {@code RanWhere} (which event ran at which core),
 *       {@code SerialCheck} (one event of a color at a time, in order, each with the writes of the
 *       one before).
 *   <li>Threads and logs: {@code Threads} (several actions at the same time), {@code LogTap} (the
 *       warnings of a logger), {@code Offspring} (what a handler starts, and on which CPUs it may
 *       run), {@code DeepStack} (overflows the stack at each depth inside a registration).
 *   <li>The driver: {@code SimActor}, which is {@code SimWorker}, {@code SimProducer} or {@code
 *       SimCloser}; {@code SimEvent}, {@code SimHandler} and {@code SimTimer}, which they register.
 *   <li>Channels, in {@code dev.mely.nio}: {@code Rig} (a runtime with selectors), {@code
 *       TestPipe}, {@code Echo} and {@code Proxy} (servers with back-pressure), {@code Scenario}
 *       (the protocol between poll and handler), {@code MonitorSelector} and {@code MonitorChannel}
 *       (for Lincheck), {@code FdExhaustionServer} (a process that runs out of file descriptors).
 *   <li>Machines, in {@code dev.mely.topology}: {@code Machine} (a machine's {@code /sys} and
 *       {@code /proc} from a recorded text), {@code Invariants} (what holds of every topology).
 *   <li>Documents, in {@code dev.mely.docs}: {@code Pages}.
 * </ul>
 */
package dev.mely;

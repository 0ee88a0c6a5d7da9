/**
 * The runtime, a work-stealing scheduler of colored events. One way through, and one back edge:
 *
 * <pre>
 * register(color, handler, event)
 *       |
 *       v
 *    Color  -- the color-queue: mailbox of this color, knows its core
 *       | became non-empty
 *       v
 *    CoreQueue of that core --&gt; Worker: batch of up to 10 events --&gt; handler
 *       | became worthy              ^
 *       v                            | when idle, or where far more waits
 *    StealingQueue (three intervals) --&gt; StealSearch (VictimOrder: by cache distance)
 * </pre>
 *
 * <p>{@link dev.mely.Mely} is the way in. The classes form six rings; each knows those of its own
 * ring and of the rings below it (a test reads this table):
 *
 * <pre>
 *   face    what users hold, and people look at
 *             Mely MelyBuilder CpuLayout Construction Shutdown Inspection Dump Snapshot
 *             SeenCore SeenColor Terminal Quiescence BlockedHandlers Submission RoomNotice
 *             FreshColors RandomMigration
 *   grants  events that ask for several colors, or for one that they only read
 *             Permissions Granter HandOver Grant TimedGrant Ticket Stripes Fork Children Emitter
 *             Failures
 *   run     registration, and what a core's thread does
 *             Worker WorkerState EventRunner Idler Scheduler WorkerTakeOver Timers Rejection
 *             Overload Pauses SystemHost RandomPlacement
 *   steal   finding a color, its price, whom to wake for it, who is stuck
 *             Steal StealSearch StealPrice StealContext StuckDetector VictimOrder ThiefCalls
 *             IdleCores TakeOver
 *   core    one core as others see it: its queues, its batch, its pool
 *             Core Cores Batch Counters CoreQueue OwnLane TurnOrder StealingQueue TimerQueue
 *             TimerEvent GatedQueue StageNeeds Settings PadBefore PaddedInt PaddedValue
 *   color   a color, its mailbox and its events; handlers; the seams to the world
 *             Color BoundedColor Mailbox Event Envelope SpecialEvent PermissionEvent Reply HeldColors
 *             Room ProducerLine WaitingProducer ColorTable Handler HandlerCost Work StageNames
 *             StealPolicy Nanos Host Errors ErrorHandler StackReserve
 * </pre>
 *
 * <p>Policy ({@code VictimOrder}, {@code StealPrice}, {@code TurnOrder}, {@link
 * dev.mely.StealPolicy}) is kept apart from mechanism. Time, randomness, threads and parking come
 * through {@code Host} alone, so that tests can run these classes step by step in any order.
 *
 * <p>Accesses to shared fields are named by their memory order: {@code getOpaque}, {@code
 * setRelease}, {@code compareAndSet}; a plain access to a shared field says why that is enough.
 *
 * <p>Sources: N. Zeldovich et al., Multiprocessor Support for Event-Driven Programs, USENIX 2003
 * (libasync-smp); F. Gaud et al., Efficient Workstealing for Multicore Event-Driven Systems, ICDCS
 * 2010 (Mely).
 */
@NullMarked
package dev.mely;

import org.jspecify.annotations.NullMarked;

/**
 * Says of a program that runs on Netty's own event loops whether they share its work well: a Java
 * agent, and a command that attaches it to a running program. While it watches, three methods of
 * Netty tell it what a loop runs; then they are put back. The JIT compiles these methods anew both
 * times; nothing else in the program is changed.
 *
 * <pre>
 *   DoctorCommand       attaches to a program, shows what the agent writes
 *   DoctorAgent         premain, agentmain: starts an examination
 *   Examination         a thread: slice after slice, then the report
 *   Report              words and tables
 *   GroupRecord         what is known of a group of event loops
 *   LoopRecord          what is known of a loop
 *   CpuLoad             how busy the CPUs were
 *   ChangedNetty        the three methods
 *   Hooks               what they call
 *   LoopTrace           what a thread runs
 *   WatchedLoop, Recording
 * </pre>
 *
 * <p>Each class knows only such as are below it, and the package {@code sharing}: what ran at the
 * same time, and what could have.
 *
 * <p>A sample of the time: in a slice of 100 ms, four times a second, each thread notes what it
 * runs. At its end a task asks each loop for that, and tells how long it waited.
 */
@NullMarked
package dev.mely.netty.doctor;

import org.jspecify.annotations.NullMarked;

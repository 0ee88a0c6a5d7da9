/**
 * Says of a program that runs on Netty's own event loops whether they share its work well: a Java
 * agent, and a command that attaches it to a running program. It changes nothing in the program but
 * the code of three methods of Netty, which tell it when a loop runs what, and which are put back
 * when it is done.
 *
 * <pre>
 *   DoctorCommand     attaches to a program, shows what is written
 *   DoctorAgent       premain, agentmain: starts an examination
 *   Examination       a thread: slice after slice, then the report
 *    |      \
 *    |     GroupRecord, LoopRecord     what is known of a group, and of each of its loops
 *    |            \
 *   Hooks         Sharing              what ran at the same time, and what could have
 *    \             |
 *   LoopTrace     Span                 what a loop's thread ran
 * </pre>
 */
@NullMarked
package dev.mely.netty.doctor;

import org.jspecify.annotations.NullMarked;

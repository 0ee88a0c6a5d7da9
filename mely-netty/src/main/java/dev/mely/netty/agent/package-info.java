/**
 * Puts Mely in the place of the event loop groups that a program makes itself: a Java agent. Not
 * exported; its classes are met in three class loaders:
 *
 * <ul>
 *   <li>the system's, into which the virtual machine loads {@link dev.mely.netty.agent.MelyAgent},
 *       and which knows neither Netty nor Byte Buddy;
 *   <li>one with Byte Buddy, for {@code GroupTransformer}, which changes two classes of Netty;
 *   <li>one below each class loader of Netty, for {@code GroupBuilder} and Mely itself.
 * </ul>
 */
@NullMarked
package dev.mely.netty.agent;

import org.jspecify.annotations.NullMarked;

package dev.mely.jit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that HotSpot's C2 compiles on its own, and never into its callers, however hot it is.
 *
 * <p>That keeps what is large, and different in each program (handlers, the I/O poller), out of the
 * code of the loop. The loop is small then, is compiled once, and is not deoptimized when a program
 * does something for the first time. Nor is what is large compiled once more for each method on the
 * way to it, all of which become hot at the same time and would each inline it.
 *
 * <p>C2 inlines no method of more than 325 bytes of bytecode (FreqInlineSize). There is no other
 * way without flags of the virtual machine, so a step of the build ({@code OwnCompilations}, in
 * {@code src/build}) appends bytes that never run. Without that step, as in an editor, the
 * annotation does nothing.
 *
 * <p>For the runtime and its loops for Netty alone: the package is exported to those alone.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface OwnCompilation {}

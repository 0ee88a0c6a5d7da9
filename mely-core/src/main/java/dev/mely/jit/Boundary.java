package dev.mely.jit;

/**
 * Where the optimizing compiler shall stop inlining. HotSpot's C2 inlines no method of more than
 * 325 bytes of bytecode (FreqInlineSize), however hot it is; a method that shall be compiled on its
 * own, and never into its callers, is therefore filled up with bytes that never run:
 *
 * <pre>{@code
 * if (Boundary.FILLS) {
 *   Boundary.fill(...);
 * }
 * }</pre>
 *
 * <p>That keeps what is large, and different in each program (handlers, the I/O poller), out of the
 * code of the loop. The loop is small then, is compiled once, and is not thrown away when a program
 * does something for the first time. Nor is what is large compiled once more for each method on the
 * way to it, all of which become hot at the same time and would each inline it. There is no other
 * way without flags of the virtual machine.
 *
 * <p>For the runtime and its loops for Netty alone: the package is exported to nobody else.
 */
public final class Boundary {
  /** False, but only the virtual machine knows that: javac would leave the bytes out. */
  public static final boolean FILLS = Boolean.parseBoolean("");

  private Boundary() {}

  /**
   * Does nothing: what counts is the array initializer at the call, five bytes for each number.
   *
   * @param bytes seventy zeros will do
   */
  public static void fill(int... bytes) {}
}

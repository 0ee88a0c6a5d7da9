package dev.mely.kit;

import java.util.Arrays;

/**
 * Memory that runs out once, at a place of the runtime's code: see {@link FaultLoader}, which calls
 * {@link #at} there. The driver says when the runtime is at work, so that a test's own calls before
 * that do not fail. Thread-safe.
 */
public final class Fault {
  public static final int NOWHERE = -1;
  private static final int ANYWHERE = -2;

  private static int[] reached = new int[64];
  private static boolean atWork;
  private static int place = NOWHERE;

  /** How often that place is passed before. */
  private static int left;

  private Fault() {}

  /** From now on memory runs out at that place, when it is reached for the n-th time. */
  public static synchronized void plan(int newPlace, int n) {
    place = newPlace;
    left = n;
    Arrays.fill(reached, 0);
  }

  /** From now on memory runs out at the n-th place that is reached, whichever that is. */
  public static synchronized void planNext(int n) {
    plan(ANYWHERE, n);
  }

  /** Whether it has happened. */
  public static synchronized boolean hasStruck() {
    return place == NOWHERE;
  }

  /** How often each place has been reached since {@link #plan}. */
  public static synchronized int[] reached() {
    return reached.clone();
  }

  /** The runtime begins its work, or has ended it. */
  public static synchronized void setAtWork(boolean now) {
    atWork = now;
  }

  /** Called at a place by the runtime. */
  public static synchronized void at(int here) {
    if (!atWork) {
      return;
    }
    if (here >= reached.length) {
      reached = Arrays.copyOf(reached, 2 * here);
    }
    reached[here]++;
    if ((here == place || place == ANYWHERE) && --left == 0) {
      place = NOWHERE;
      throw new OutOfMemoryError("as planned, at place " + here);
    }
  }
}

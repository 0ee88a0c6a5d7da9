package dev.mely.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a core does at one moment, as {@link dev.mely.Inspection#state} reads it: for tools that
 * look at a running program many times a second. The parts need not have been true at the same
 * instant.
 */
public interface CoreState {
  /**
   * Returns whether the worker waits for something to do.
   *
   * @return false: it runs a color, polls, or looks for work
   */
  boolean isParked();

  /**
   * Returns the color that runs.
   *
   * @return null: none does
   */
  @Nullable ColorState running();

  /**
   * Returns colors that wait for the core.
   *
   * @return a sample: those at the heads of the lanes of its core-queue
   */
  List<ColorState> waiting();

  /**
   * Returns how many colors wait for the core.
   *
   * @return the length of its core-queue; may count some that have been stolen
   */
  int colorsWaiting();

  /**
   * Returns a number that changes whenever the worker begins an event, or to run a color: a core
   * that runs something and has the same number at two looks has been in one handler between them.
   *
   * @return any number
   */
  long progress();

  /**
   * Asks what the worker's thread does now. This may stop the thread for a moment.
   *
   * @return its stack, the innermost call first; empty: the thread has ended, or has not begun
   */
  List<StackTraceElement> stack();
}

package dev.mely;

import java.util.List;

/**
 * How a shutdown ended.
 *
 * @param drained whether every accepted event ran and every worker ended before the deadline; false
 *     as well if an {@code Error} has broken off a registration in its middle, since nobody knows
 *     then what has become of that color's events
 * @param eventsLeft accepted events that did not run; {@link Handler#rejected} was called for each.
 *     Those that wait behind a handler of a stuck core, in its color, are not known yet: they are
 *     rejected when the handler returns
 * @param timersCancelled timers that were still pending
 * @param stuckCores numbers of the cores whose worker was still inside a handler at the deadline
 */
public record ShutdownReport(
    boolean drained, long eventsLeft, long timersCancelled, List<Integer> stuckCores) {
  /** Copies the list. */
  public ShutdownReport {
    stuckCores = List.copyOf(stuckCores);
  }
}

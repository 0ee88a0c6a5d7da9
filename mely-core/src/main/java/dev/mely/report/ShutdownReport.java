package dev.mely.report;

import java.util.List;
import java.util.Objects;

/**
 * How the shutdown of a runtime ended: the result of {@link dev.mely.Mely#shutdown}.
 *
 * @param drained whether every accepted event ran and every worker ended before the deadline; false
 *     as well if an {@code Error} has interrupted a registration half-way, since the events of that
 *     color may be lost then
 * @param eventsLeft accepted events that did not run; {@link dev.mely.Handler#rejected} was called
 *     for each. Those that wait in the color of a stuck handler are not counted: they are rejected
 *     when that handler returns
 * @param timersCancelled timers that were still pending
 * @param stuckCores numbers of the cores whose worker was still inside a handler at the deadline
 */
public record ShutdownReport(
    boolean drained, long eventsLeft, long timersCancelled, List<Integer> stuckCores) {
  /** Copies the list. */
  public ShutdownReport {
    stuckCores = List.copyOf(Objects.requireNonNull(stuckCores, "stuckCores"));
  }
}

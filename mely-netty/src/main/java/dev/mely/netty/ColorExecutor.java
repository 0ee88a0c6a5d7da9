package dev.mely.netty;

import dev.mely.Color;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A color for handlers, apart from the color of their channel: an event loop without channels. The
 * color keeps the order of what a pipeline hands over, which is all that Netty asks of a handler's
 * executor.
 *
 * <p>Its tasks cost what its handlers declare, else what is measured. Thread-safe.
 */
class ColorExecutor extends ColorEventLoop {
  private final String name;

  /** What its tasks may cost, where it is not declared. */
  private final @Nullable Duration estimate;

  /** Guarded by this. */
  private HandlerCosts declared = HandlerCosts.UNKNOWN;

  /** The handler of new tasks; those that are pending keep theirs. */
  private volatile TaskHandler tasks;

  /**
   * @param poller of any core: no channel is registered
   * @param name to show
   * @param estimate of what its tasks cost; null: nothing is known
   */
  ColorExecutor(
      GroupState groupState,
      IoPoller poller,
      Transport transport,
      Color color,
      String name,
      @Nullable Duration estimate) {
    super(groupState, poller, transport, color);
    this.name = name;
    this.estimate = estimate;
    this.tasks = new TaskHandler(this, HandlerCosts.UNKNOWN.begin(estimate));
  }

  /**
   * Takes note of what a handler of this color declares; of several, the highest cost and the
   * highest penalty count.
   */
  @Override
  final synchronized boolean declare(HandlerCosts costs) {
    HandlerCosts now = declared.max(costs);
    if (!now.equals(declared)) {
      declared = now;
      tasks = new TaskHandler(this, now.begin(estimate));
    }
    return true;
  }

  @Override
  final TaskHandler taskHandler() {
    return tasks;
  }

  @Override
  String stage() {
    return "tasks of " + name;
  }

  @Override
  public String toString() {
    return "ColorExecutor(" + name + ", " + color() + ")";
  }
}

package dev.mely.netty;

import dev.mely.Color;
import java.util.Objects;

/**
 * A color that handlers run under in place of their channel's. An event loop without channels: the
 * color keeps the order of what a pipeline hands over, which is all that Netty asks of a handler's
 * executor.
 *
 * <p>Its tasks cost what its handlers declare, else what is measured. Thread-safe.
 */
final class ColorExecutor extends ColorEventLoop {
  private final String name;

  /** Guarded by this. */
  private HandlerCosts declared = HandlerCosts.UNKNOWN;

  /** Who runs the tasks from now on; those that are pending keep theirs. */
  private volatile TaskHandler tasks = new TaskHandler(this, HandlerCosts.UNKNOWN, null);

  /**
   * @param poller of any core: no channel is registered
   * @param name to show
   */
  ColorExecutor(Engine engine, IoPoller poller, Color color, String name) {
    super(engine, poller, color);
    this.name = name;
  }

  /**
   * Takes note of what a handler of this color declares; of several that differ the highest cost
   * and the highest penalty count.
   */
  synchronized void declare(HandlerCosts costs) {
    HandlerCosts now = declared.max(costs);
    if (!now.equals(declared)) {
      declared = now;
      tasks = new TaskHandler(this, now, null);
    }
  }

  /** What the scheduler knows, for tests and statistics. */
  TaskHandler taskHandler() {
    return tasks;
  }

  @Override
  public void execute(Runnable task) {
    engine().mely().register(color(), tasks, Objects.requireNonNull(task, "task"));
  }

  @Override
  public String toString() {
    return "ColorExecutor(" + name + ", " + color() + ")";
  }
}

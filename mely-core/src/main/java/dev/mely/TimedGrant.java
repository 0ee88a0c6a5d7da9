package dev.mely;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * A timer whose event asks for several colors, or shares one. It waits as any timer does; when it
 * is due, its {@link Grant} begins to wait for the colors. The grant is made with the timer: when a
 * timer is due there is no caller who could be told that memory has run out.
 */
final class TimedGrant extends TimerEvent {
  private final Granter granter;
  private final Grant grant;

  private TimedGrant(
      Granter granter,
      Permissions asked,
      Color at,
      Handler<?> handler,
      Object event,
      long deadline) {
    super(at, handler, event, deadline, 0);
    this.granter = granter;
    this.grant = new Grant(granter, asked, handler, this, null);
    granter.prepare(grant, null);
  }

  /**
   * Sets a timer. It waits at the core of the first color that it asks for.
   *
   * @throws RejectedExecutionException after shutdown began
   */
  static TimerEvent set(
      Granter granter,
      Timers timers,
      Permissions asked,
      Handler<?> handler,
      Object event,
      Duration delay) {
    StackReserve.check();
    granter.check(asked);
    Objects.requireNonNull(handler, "handler");
    Objects.requireNonNull(event, "event");
    Color at = asked.size() == 0 ? granter.newColor(asked) : asked.color(0);
    long deadline = timers.deadline(delay);
    return timers.start(new TimedGrant(granter, asked, at, handler, event, deadline), handler);
  }

  @Override
  boolean enters() {
    granter.enter(grant, false);
    return true;
  }
}

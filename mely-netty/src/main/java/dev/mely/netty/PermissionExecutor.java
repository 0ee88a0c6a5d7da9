package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Permissions;
import dev.mely.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where handlers of one channel run that share colors with those of other channels, or need several
 * of them.
 *
 * <p>A task is an event that asks for these colors and writes one more, the executor's own. So the
 * tasks of one executor run one after the other, in the order of their submission, and each has its
 * place in the queue of every color that it asks for, as any event has: it sees what was done by
 * those that were registered before. Nothing else writes the executor's own color, hence {@link
 * #inEventLoop} is exact: true inside a task of this executor, false inside those of others that
 * share its colors.
 *
 * <p>Thread-safe. Source: Eve, section 2 (permissions); SPEC N3.
 */
final class PermissionExecutor extends ColorExecutor {
  private static final Handler<Runnable> DUE =
      Handler.of(Runnable::run).named("timers with permissions");

  /** What handlers ask for, and the executor's own color. */
  private final Permissions asked;

  /**
   * @param poller of any core: no channel is registered
   * @param own a new color
   * @param asked for each task, beside that color
   * @param estimate of what a task costs; null: nothing is known
   */
  PermissionExecutor(
      Engine engine,
      IoPoller poller,
      Transport transport,
      Color own,
      Permissions asked,
      @Nullable Duration estimate) {
    super(engine, poller, transport, own, asked.toString(), estimate);
    this.asked = asked.andWrite(own);
  }

  @Override
  <E> void post(Handler<? super E> handler, E event) {
    engine().mely().register(asked, handler, event);
  }

  @Override
  final String stage() {
    return "tasks with permissions"; // of a bounded number of names
  }

  /** There are no timers with permissions: one of the executor's own color asks for the rest. */
  @Override
  <E> Timer postLater(Handler<? super E> handler, E event, Duration delay) {
    Runnable due = () -> stepBehind(handler, event); // refused when the group ends
    return engine().mely().schedule(color(), DUE, due, delay);
  }
}

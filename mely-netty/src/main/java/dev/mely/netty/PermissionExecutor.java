package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely.Timer;
import dev.mely.Permissions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The executor of those handlers of one channel that share colors with handlers of other channels,
 * or need several colors.
 *
 * <p>A task is an event that asks for these colors and writes one more, the executor's own. So the
 * tasks of one executor run one after the other, in the order of their submission, and each has its
 * place in the queue of every color that it asks for, as any event has: it sees the effects of
 * events that were registered before. Nothing else writes the executor's own color, hence {@link
 * #inEventLoop} is exact: true inside a task of this executor, false inside those of other
 * executors that share its colors.
 *
 * <p>Thread-safe. Source: Eve, section 2 (permissions); SPEC N3.
 */
final class PermissionExecutor extends ColorExecutor {
  /** What the handlers ask for, and a write of the executor's own color. */
  private final Permissions asked;

  /**
   * @param poller of any core: no channel is registered
   * @param own a new color
   * @param asked permissions of each task, without that color
   * @param estimate of what a task costs; null: nothing is known
   */
  PermissionExecutor(
      GroupState groupState,
      IoPoller poller,
      Transport transport,
      Color own,
      Permissions asked,
      @Nullable Duration estimate) {
    super(groupState, poller, transport, own, asked.toString(), estimate);
    this.asked = asked.andWrite(own);
  }

  @Override
  <E> void post(Handler<? super E> handler, E event) {
    groupState().mely().register(asked, handler, event);
  }

  @Override
  final String stage() {
    return "tasks with permissions"; // one name for all, so that the number of stages stays bounded
  }

  @Override
  <E> Timer postLater(Handler<? super E> handler, E event, Duration delay) {
    return groupState().mely().schedule(asked, handler, event, delay);
  }
}

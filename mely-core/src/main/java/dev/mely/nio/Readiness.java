package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;

/**
 * Tells the user's handler that a channel is ready.
 *
 * @param <E> what the handler is given
 */
final class Readiness<E> extends ChannelSource {
  private final Handler<? super E> user;
  private final E event;

  Readiness(Mely mely, ChannelKey key, int op, Color color, Handler<? super E> user, E event) {
    super(mely, key, op, color, user);
    this.user = user;
    this.event = event;
  }

  @Override
  void serve() throws Exception {
    user.handle(event);
  }
}

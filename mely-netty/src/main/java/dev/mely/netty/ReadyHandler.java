package dev.mely.netty;

import dev.mely.Handler;

/**
 * Serves a channel that is ready for I/O. Each channel has its own, so that what the runtime
 * measures is the cost of this channel.
 */
final class ReadyHandler extends Handler<Registration> {
  private final HandlerCosts declared;

  ReadyHandler(HandlerCosts declared) {
    super(declared.cost(), declared.penalty());
    this.declared = declared;
  }

  HandlerCosts declared() {
    return declared;
  }

  @Override
  public void handle(Registration registration) {
    registration.run();
  }
}

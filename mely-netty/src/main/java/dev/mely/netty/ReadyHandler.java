package dev.mely.netty;

import dev.mely.Handler;

/**
 * Serves a channel that is ready for I/O. Each channel has its own, so that what the runtime
 * measures is the cost of this channel.
 */
final class ReadyHandler extends Handler<Registration> {
  private final HandlerCosts declared;
  private final Object channel;

  /**
   * @param declared by the handlers of the channel
   * @param channel to show
   */
  ReadyHandler(HandlerCosts declared, Object channel) {
    super(declared.cost(), declared.penalty());
    this.declared = declared;
    this.channel = channel;
  }

  @Override
  public String toString() {
    return "I/O of " + channel;
  }

  HandlerCosts declared() {
    return declared;
  }

  @Override
  public void handle(Registration registration) {
    registration.run();
  }
}

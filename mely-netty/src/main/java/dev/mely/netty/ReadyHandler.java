package dev.mely.netty;

import dev.mely.Handler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Serves a channel that is ready for I/O. Each channel has its own, so that what the runtime
 * measures is the cost of this channel.
 */
final class ReadyHandler extends Handler<Registration> {
  private final HandlerCosts declared;
  private final Object channel;

  /**
   * @param declared by the handlers of the channel
   * @param estimate of what is not declared
   * @param channel to show; its handle if it is not known
   */
  ReadyHandler(HandlerCosts declared, @Nullable Duration estimate, Object channel) {
    super(declared.cost(), declared.penalty(), estimate);
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

  Object channel() {
    return channel;
  }

  @Override
  public void handle(Registration registration) {
    registration.run();
  }

  /** There was no memory to queue the color, or the group ends. */
  @Override
  protected void rejected(Registration registration) {
    registration.handled();
  }
}

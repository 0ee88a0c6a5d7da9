package dev.mely.nio;

import dev.mely.Handler;

/**
 * Runs the events of one source or operation, in the name of the user's handler: with what that has
 * declared of its cost and penalty. Each source has its own, so that the runtime measures what is
 * not declared for this source.
 */
final class IoHandler extends Handler<IoEvent> {
  private final Handler<?> user;

  /**
   * @param user the handler that does the work
   */
  IoHandler(Handler<?> user) {
    super(user);
    this.user = user;
  }

  @Override
  public void handle(IoEvent event) throws Exception {
    event.run();
  }

  @Override
  protected void rejected(IoEvent event) {
    event.rejected();
  }

  /** For reports of blocked handlers. */
  @Override
  public String toString() {
    return user.toString();
  }
}

package dev.mely.nio;

import dev.mely.Handler;

/**
 * Runs the tasks of one source or operation for the user's handler, with the cost and penalty that
 * it has declared. Each source has its own, so that the runtime measures what is not declared for
 * this source.
 */
final class IoHandler extends Handler<IoTask> {
  private final Handler<?> user;

  /**
   * @param user the handler that does the work
   */
  IoHandler(Handler<?> user) {
    super(user);
    this.user = user;
  }

  @Override
  public void handle(IoTask task) throws Exception {
    task.run();
  }

  @Override
  protected void rejected(IoTask task) {
    task.rejected();
  }

  @Override
  protected Handler<?> recordedAs() {
    return user;
  }

  /** For reports of blocked handlers. */
  @Override
  public String toString() {
    return user.toString();
  }
}

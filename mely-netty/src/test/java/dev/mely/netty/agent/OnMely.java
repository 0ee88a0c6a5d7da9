package dev.mely.netty.agent;

/** Whether the current thread is a worker of Mely, in whatever class loader that is. */
public final class OnMely {
  private OnMely() {}

  public static boolean isCurrentThread() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals("dev.mely.Worker")));
  }
}

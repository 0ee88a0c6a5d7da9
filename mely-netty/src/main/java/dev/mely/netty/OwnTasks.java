package dev.mely.netty;

import io.netty.channel.Channel;
import java.util.concurrent.Future;

/**
 * Tells the tasks that programs give to an event loop from the steps of the machinery, which come
 * by the same {@code execute}: a channel's registration and close, what handlers of different
 * executors hand to each other, listeners of promises. Where pending events are bounded, the former
 * may be refused. The latter may not: a channel whose close is refused stays registered for ever,
 * and a listener that is not told waits for ever.
 *
 * <p>Netty has no name for the difference, so the package of a task's class says it. Two exceptions
 * are a program's: tasks with a future, into which Netty wraps what is submitted or scheduled, and
 * writes from other threads, whose promise tells that they were refused.
 */
final class OwnTasks {
  /** With a dot at its end; where Netty was relocated, its new name. */
  private static final String NETTY = Channel.class.getPackageName().replaceAll("channel$", "");

  /** Beside the group itself, which says so by {@link ColorTasks#executeAlways}. */
  private static final String GROUP = OwnTasks.class.getPackageName() + ".metrics.";

  /** The name of Netty's class, which is not public. */
  private static final String WRITE = "$WriteTask";

  private static final ClassValue<Boolean> OF_CLASS =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          String name = type.getName();
          return (name.startsWith(NETTY) || name.startsWith(GROUP))
              && !name.endsWith(WRITE)
              && !Future.class.isAssignableFrom(type);
        }
      };

  private OwnTasks() {}

  /** Whether a task is a step of the machinery. */
  static boolean contain(Runnable task) {
    return OF_CLASS.get(task.getClass());
  }
}

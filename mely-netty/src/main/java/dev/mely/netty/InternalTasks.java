package dev.mely.netty;

import io.netty.channel.Channel;
import java.util.concurrent.Future;

/**
 * Tells a program's tasks from those of Netty and of the group itself, which come through the same
 * {@code execute}: registering and closing a channel, calls between handlers with different
 * executors, listeners of promises. Where pending events are bounded, a program's tasks may be
 * refused. The internal ones may not: a channel whose close is refused stays registered for ever,
 * and a listener that is not told waits for ever.
 *
 * <p>Netty does not mark the difference, so the package of a task's class decides. Two classes of
 * Netty's count as a program's: futures, into which Netty wraps what is submitted or scheduled, and
 * writes from other threads, whose promise tells that they were refused.
 */
final class InternalTasks {
  /** The package with a dot at its end, also where Netty has been relocated. */
  private static final String NETTY = Channel.class.getPackageName().replaceAll("channel$", "");

  /** The group itself calls {@link ColorTasks#executeAlways} instead. */
  private static final String GROUP = InternalTasks.class.getPackageName() + ".metrics.";

  /** End of the name of Netty's class, which is not public. */
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

  private InternalTasks() {}

  /** Whether a task is internal. */
  static boolean contain(Runnable task) {
    return OF_CLASS.get(task.getClass());
  }
}

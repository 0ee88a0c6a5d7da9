package dev.mely.netty.doctor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An event loop of the program's Netty, which is in a class loader of the program's: its public
 * methods are called by reflection. Immutable.
 *
 * @param executor the loop
 * @param group its {@code EventLoopGroup}
 * @param thread the name of its thread
 */
record WatchedLoop(Executor executor, Iterable<?> group, String thread) {
  /** The event loop of a channel; null if it is not of this thread, or alone, as in unit tests. */
  static @Nullable WatchedLoop ofCurrentThread(Object pipeline) {
    @Nullable Object loop = call(call(pipeline, "channel"), "eventLoop");
    return loop instanceof Executor executor
            && call(loop, "parent") instanceof Iterable<?> group
            && Boolean.TRUE.equals(call(loop, "inEventLoop"))
        ? new WatchedLoop(executor, group, Thread.currentThread().getName())
        : null;
  }

  /**
   * The pipeline of the connection that a channel belongs to: a stream's is its parent's. Null if
   * the channel is not of this loop, such as one that a codec uses within.
   */
  @Nullable Object connection(Object pipeline) {
    @Nullable Object channel = call(pipeline, "channel");
    if (call(channel, "eventLoop") != executor) {
      return null;
    }
    @Nullable Object parent = call(channel, "parent");
    return parent == null || isServer(parent.getClass()) ? pipeline : call(parent, "pipeline");
  }

  private static boolean isServer(Class<?> type) {
    for (@Nullable Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Class<?> implemented : each.getInterfaces()) {
        if (implemented.getSimpleName().equals("ServerChannel") || isServer(implemented)) {
          return true;
        }
      }
    }
    return false;
  }

  boolean isOfCurrentThread() {
    return Boolean.TRUE.equals(call(executor, "inEventLoop"));
  }

  /** How a channel shows itself: its addresses. */
  static String channelName(Object pipeline) {
    try {
      return String.valueOf(call(pipeline, "channel"));
    } catch (RuntimeException e) {
      return pipeline.getClass().getName();
    }
  }

  /** The class of the group, and the version of Netty if it comes in its own jars. */
  String groupName() {
    Package netty = executor.getClass().getPackage();
    @Nullable String title = netty.getImplementationTitle();
    return group.getClass().getSimpleName()
        + (title != null && title.startsWith("Netty/")
            ? " of Netty " + netty.getImplementationVersion()
            : "");
  }

  /** All loops of the group, those that have not been started too. */
  List<Object> siblings() {
    List<Object> all = new ArrayList<>();
    try {
      group.forEach(all::add);
    } catch (RuntimeException e) {
      return List.of(); // a group of the program's own
    }
    return all;
  }

  /**
   * Whether a task would be run by the loop's thread, and change nothing else: it would start a
   * thread for one that is suspended, and one that is shutting down would wait for more tasks.
   */
  boolean takesTasks() {
    return !Boolean.TRUE.equals(call(executor, "isShuttingDown"))
        && !Boolean.TRUE.equals(call(executor, "isSuspended")); // since Netty 4.2
  }

  /** The thread of an event loop, if it is one of these. */
  static @Nullable Thread threadOf(Object loop, List<Thread> threads) {
    @Nullable Method inEventLoop = find(loop.getClass(), "inEventLoop", Thread.class);
    for (Thread thread : threads) {
      if (Boolean.TRUE.equals(call(loop, inEventLoop, thread))) {
        return thread;
      }
    }
    return null;
  }

  private static @Nullable Object call(@Nullable Object target, String method) {
    return target == null ? null : call(target, find(target.getClass(), method));
  }

  /** Null if there is no such method, or it failed, as for a channel that is not registered. */
  private static @Nullable Object call(
      Object target, @Nullable Method method, Object... arguments) {
    try {
      return method == null ? null : method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      return null;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("cannot call " + method, e);
    }
  }

  /** The method as a public interface of Netty has it: the class may not be public. */
  private static @Nullable Method find(Class<?> type, String name, Class<?>... parameters) {
    for (@Nullable Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Class<?> implemented : each.getInterfaces()) {
        for (Method method : implemented.getMethods()) {
          if (method.getName().equals(name)
              && Arrays.equals(method.getParameterTypes(), parameters)
              && Modifier.isPublic(method.getDeclaringClass().getModifiers())) {
            return method;
          }
        }
      }
    }
    return null;
  }
}

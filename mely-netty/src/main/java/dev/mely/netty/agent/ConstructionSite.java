package dev.mely.netty.agent;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the code of a program says {@code new} for a group. Immutable.
 *
 * @param group the class that is being constructed
 * @param caller the frame that constructs it
 */
record ConstructionSite(Class<?> group, StackFrame caller) {
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final Set<String> REPLACED =
      Set.of(Names.IO_GROUP, Names.NIO_GROUP, Names.EPOLL_GROUP);

  /**
   * Finds it above the constructor of {@code MultithreadEventExecutorGroup}: the outermost of the
   * constructors that have called each other is that of the object's class.
   */
  static ConstructionSite find() {
    List<StackFrame> frames =
        WALKER.walk(
            all ->
                all.dropWhile(frame -> !frame.getClassName().equals(Names.EXECUTOR_GROUP))
                    .toList());
    int outermost = 0;
    Class<?> base = frames.get(0).getDeclaringClass();
    while (isConstructor(frames.get(outermost + 1), base)) {
      outermost++;
    }
    return new ConstructionSite(
        frames.get(outermost).getDeclaringClass(), frames.get(outermost + 1));
  }

  private static boolean isConstructor(StackFrame frame, Class<?> base) {
    return frame.getMethodName().equals("<init>")
        && base.isAssignableFrom(frame.getDeclaringClass());
  }

  /** Whether it is a group for channels of any transport, and not Mely's. */
  boolean isOfGroup() {
    if (group.getName().equals(Names.MELY_GROUP)) {
      return false;
    }
    for (@Nullable Class<?> type = group; type != null; type = type.getSuperclass()) {
      if (type.getName().equals(Names.IO_GROUP)) {
        return true;
      }
    }
    return false;
  }

  /** The topmost of the group's superclasses in its class loader: it stands for that loader. */
  Class<?> rootOfLoader() {
    Class<?> root = group;
    while (root.getSuperclass().getClassLoader() == group.getClassLoader()) {
      root = root.getSuperclass();
    }
    return root;
  }

  boolean isOfSubclass() {
    return !REPLACED.contains(group.getName());
  }

  /**
   * Whether the caller is in one of some packages, or below it.
   *
   * @param packages empty: all
   */
  boolean isIn(List<String> packages) {
    String name = caller.getClassName();
    return packages.isEmpty() || packages.stream().anyMatch(each -> name.startsWith(each + "."));
  }

  @Override
  public String toString() {
    String name = group.getName();
    return name.substring(name.lastIndexOf('.') + 1) + " at " + caller.toStackTraceElement();
  }
}

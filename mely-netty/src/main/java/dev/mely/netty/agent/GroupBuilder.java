package dev.mely.netty.agent;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.MelyEventLoopGroupBuilder;
import dev.mely.topology.AllowedCpus;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultEventExecutorChooserFactory;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds the Mely group that does what a group of Netty was asked for: the same transport and
 * thread factory, and as many threads, but no more than there are CPUs.
 */
public final class GroupBuilder implements Function<Object[], Object> {
  /**
   * Made once for each class loader of Netty.
   *
   * @throws IllegalStateException if {@link GroupTransformer} has not changed the class that is to
   *     take the group
   */
  public GroupBuilder() {
    if (Arrays.stream(MultiThreadIoEventLoopGroup.class.getDeclaredFields())
        .noneMatch(field -> field.getName().equals(Names.FIELD))) {
      throw new IllegalStateException("Netty could not be changed");
    }
  }

  /**
   * Builds a group.
   *
   * @param asked see {@link MelyAgent#replace}
   * @return number of workers, and the group with an iterator over its event loops; or the reason
   *     for which the group is to stay Netty's own, in words
   */
  @Override
  public Object apply(Object[] asked) {
    Object[] arguments = (Object[]) asked[3];
    IoHandlerFactory factory = (IoHandlerFactory) arguments[0];
    if (asked[2] != DefaultEventExecutorChooserFactory.INSTANCE) {
      return "it has a chooser of its own";
    }
    if (hasOtherArguments(arguments)) {
      return "it has a queue or a RejectedExecutionHandler of its own";
    }
    if (!factory.isChangingThreadSupported()) {
      return "the channels of its transport cannot change their thread";
    }
    if (asked[1] != null && !(asked[1] instanceof ThreadPerTaskExecutor)) {
      return "its threads come from an executor, " + asked[1].getClass().getName();
    }
    int workers = Math.min((Integer) asked[0], AllowedCpus.system().recommendedWorkers());
    MelyEventLoopGroupBuilder builder =
        MelyEventLoopGroup.builder().cores(workers).ioHandlerFactory(factory);
    if (asked[1] != null) {
      @Nullable ThreadFactory threads = threadFactory((ThreadPerTaskExecutor) asked[1]);
      if (threads == null) {
        return "its thread factory cannot be read in Netty's module";
      }
      builder.threadFactory(threads);
    }
    MelyEventLoopGroup group = builder.build();
    return new Object[] {workers, new Object[] {group, group.iterator()}};
  }

  /** Whether there are more than the defaults of {@code NioEventLoopGroup} and its like. */
  private static boolean hasOtherArguments(Object[] arguments) {
    return Arrays.stream(arguments)
        .skip(1)
        .anyMatch(each -> each != null && each != RejectedExecutionHandlers.reject());
  }

  private static @Nullable ThreadFactory threadFactory(ThreadPerTaskExecutor executor) {
    try {
      Field field = ThreadPerTaskExecutor.class.getDeclaredField("threadFactory");
      return field.trySetAccessible() ? (ThreadFactory) field.get(executor) : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}

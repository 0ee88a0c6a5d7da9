package dev.mely.netty;

import dev.mely.annotation.Color;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.util.concurrent.EventExecutorGroup;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view of a pipeline that gives annotated handlers the executor of their color as they are added.
 * A dynamic proxy, because only eight of some sixty methods matter, and pipelines are built rarely.
 * Thread-safe.
 *
 * <p>Netty 4.2 keeps executors in pipelines but marks the methods that take one as deprecated.
 */
@SuppressWarnings("deprecation")
final class ColoredPipeline implements InvocationHandler {
  private final ChannelPipeline target;

  /** Null: the channel is in another group, where nothing is colored. */
  private final @Nullable MelyEventLoopGroup group;

  private ColoredPipeline(ChannelPipeline target, @Nullable MelyEventLoopGroup group) {
    this.target = target;
    this.group = group;
  }

  static ChannelPipeline of(ChannelPipeline target, @Nullable MelyEventLoopGroup group) {
    return (ChannelPipeline)
        Proxy.newProxyInstance(
            ColoredPipeline.class.getClassLoader(),
            new Class<?>[] {ChannelPipeline.class},
            new ColoredPipeline(target, group));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (args != null && method.getName().startsWith("add") && add(method.getName(), args)) {
      return proxy;
    }
    if (args != null && method.getName().equals("equals")) {
      return args[0] == proxy || target.equals(args[0]);
    }
    if (args != null && method.getName().equals("replace")) {
      checkReplacement(args[0], args[args.length - 1]);
    }
    Object result;
    try {
      result = method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
    return result == target ? proxy : result;
  }

  /** Adds one or more handlers for which no executor was given. False if one was. */
  private boolean add(String method, @Nullable Object[] args) {
    Object first = args[0];
    if (first instanceof EventExecutorGroup) {
      return false;
    }
    // Of each method there is one form with an executor in front, and one without.
    int from = first == null && isExecutorForm(method, args) ? 1 : 0;
    Object last = args[args.length - 1];
    if (last instanceof ChannelHandler[] handlers) {
      addAll(method.equals("addFirst"), handlers);
    } else if (last instanceof ChannelHandler handler) {
      addOne(method, (String) args[from], args, handler);
    } else {
      return false; // null: the pipeline throws
    }
    return true;
  }

  private static boolean isExecutorForm(String method, @Nullable Object[] args) {
    Object last = args[args.length - 1];
    int names = last instanceof ChannelHandler[] ? 0 : method.matches("addBefore|addAfter") ? 2 : 1;
    return args.length == names + 2;
  }

  private void addAll(boolean atFront, ChannelHandler[] handlers) {
    int n = 0;
    while (n < handlers.length && handlers[n] != null) {
      n++; // as the pipeline does: null ends the list
    }
    for (int i = 0; i < n; i++) {
      ChannelHandler handler = handlers[atFront ? n - 1 - i : i];
      if (atFront) {
        target.addFirst(executorOf(handler), (String) null, handler);
      } else {
        target.addLast(executorOf(handler), (String) null, handler);
      }
    }
  }

  private void addOne(
      String method, @Nullable String first, @Nullable Object[] args, ChannelHandler handler) {
    EventExecutorGroup executor = executorOf(handler);
    switch (method) {
      case "addFirst" -> target.addFirst(executor, first, handler);
      case "addLast" -> target.addLast(executor, first, handler);
      case "addBefore" -> target.addBefore(executor, first, name(args), handler);
      default -> target.addAfter(executor, first, name(args), handler);
    }
  }

  /** The name of the new handler: the argument before the handler. */
  private static @Nullable String name(@Nullable Object[] args) {
    return (String) args[args.length - 2];
  }

  private @Nullable EventExecutorGroup executorOf(ChannelHandler handler) {
    Color color = handler.getClass().getAnnotation(Color.class);
    if (color != null && group == null) {
      IgnoredColors.warn(handler, "its channel is in no MelyEventLoopGroup");
    }
    return color == null || group == null ? null : group.executor(color);
  }

  /** Netty gives the new handler the executor of the old one, even if it names another color. */
  private void checkReplacement(@Nullable Object old, @Nullable Object replacement) {
    ChannelHandler replaced =
        old instanceof String name
            ? target.get(name)
            : old instanceof ChannelHandler handler ? handler : null;
    if (replaced != null && replacement instanceof ChannelHandler handler) {
      Color before = replaced.getClass().getAnnotation(Color.class);
      if (!Objects.equals(before, handler.getClass().getAnnotation(Color.class))) {
        IgnoredColors.warn(handler, "it replaces a handler that does not run in that color");
      }
    }
  }
}

package dev.mely.netty;

import dev.mely.annotation.Access;
import dev.mely.annotation.Color;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Warns of handlers that name a {@link Color} and do not run in it, once for each class: the data
 * that they share has no lock.
 *
 * <p>Netty fixes a handler's executor when it is added, without any callback: a handler that was
 * added to a plain pipeline can only be found there. So the group looks when a channel has been
 * registered, now and then while it is served (see {@link Registration#run}), and when it leaves.
 * Any thread; throws nothing.
 */
final class IgnoredColors {
  /** By class of the handler: null if it names no color, else whether it has been warned of. */
  private static final ClassValue<@Nullable AtomicBoolean> WARNED =
      new ClassValue<>() {
        @Override
        protected @Nullable AtomicBoolean computeValue(Class<?> type) {
          return type.isAnnotationPresent(Color.class) ? new AtomicBoolean() : null;
        }
      };

  private IgnoredColors() {}

  /** Warns of a channel's handlers that name a color and run on the channel's event loop. */
  static void look(Channel channel) {
    try {
      for (Map.Entry<String, ChannelHandler> entry : channel.pipeline()) {
        ChannelHandler handler = entry.getValue();
        AtomicBoolean warned = WARNED.get(handler.getClass());
        if (warned == null || warned.get()) {
          continue;
        }
        @Nullable ChannelHandlerContext ctx = channel.pipeline().context(handler);
        if (ctx != null && ctx.executor() == channel.eventLoop()) {
          warn(handler, "it was added to the plain pipeline and runs in its channel's color");
        }
      }
    } catch (Throwable t) {
      // A class of a handler cannot be loaded in full; the channel must not suffer.
    }
  }

  /**
   * Warns of a handler, unless it names no color, or its class has been warned of.
   *
   * @param why the reason why it does not run in the color that it names
   */
  static void warn(ChannelHandler handler, String why) {
    Class<?> type = handler.getClass();
    AtomicBoolean warned = WARNED.get(type);
    if (warned == null || !warned.compareAndSet(false, true)) {
      return;
    }
    Color color = type.getAnnotation(Color.class);
    String name = "\"" + color.value() + "\"";
    String executor =
        color.access() == Access.READ ? "Permissions.read(group.color(" + name + "))" : name;
    Log.warn(
        ("@Color(" + name + ") of " + type.getName() + " has no effect: " + why)
            + ", so it may run at the same time as others of that color. Add it in a"
            + " ColoredInitializer, by ColoredInitializer.colored(pipeline).addLast(handler), or by"
            + (" pipeline.addLast(group.executor(" + executor + "), handler)")
            + ", in a MelyEventLoopGroup",
        null);
  }
}

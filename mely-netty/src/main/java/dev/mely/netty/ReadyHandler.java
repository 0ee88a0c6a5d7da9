package dev.mely.netty;

import dev.mely.Handler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves a channel that is ready for I/O. Each channel has its own, so that what the runtime
 * measures is the cost of this channel.
 */
final class ReadyHandler extends Handler<Registration> {
  private static final ClassValue<String> STAGES =
      new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
          return "I/O of " + type.getSimpleName();
        }
      };

  private final HandlerCosts declared;
  private final Object channel;

  /**
   * @param declared the costs that the handlers of the channel declare
   * @param estimate of the cost, if it is not declared
   * @param channel the channel, to show; its handle if the channel is not known
   */
  ReadyHandler(HandlerCosts declared, @Nullable Duration estimate, Object channel) {
    super(declared.begin(estimate));
    this.declared = declared;
    this.channel = channel;
  }

  /** One stage for all channels of a class: what runs in it are the handlers of their pipelines. */
  @Override
  protected String stage() {
    return STAGES.get(channel.getClass());
  }

  /** The handlers of the pipeline, as it is now, that run on the channel's own event loop. */
  @Override
  protected List<Class<?>> parts() {
    List<Class<?>> parts = new ArrayList<>();
    if (channel instanceof Channel open) {
      for (Map.Entry<String, ChannelHandler> entry : open.pipeline()) {
        ChannelHandlerContext ctx = open.pipeline().context(entry.getValue());
        if (ctx != null && ctx.executor() == open.eventLoop()) {
          parts.add(entry.getValue().getClass());
        }
      }
    }
    return parts;
  }

  @Override
  public String toString() {
    return "I/O of " + channel;
  }

  HandlerCosts declared() {
    return declared;
  }

  Object channel() {
    return channel;
  }

  @Override
  public void handle(Registration registration) {
    registration.run();
  }

  /** No memory to queue the color, or the group ends. */
  @Override
  protected void rejected(Registration registration) {
    registration.readiness.handled();
  }
}

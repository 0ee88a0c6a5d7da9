package dev.mely.netty;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.util.concurrent.EventExecutor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the handlers of a pipeline declare of one pass through it. */
final class PipelineCosts {
  private PipelineCosts() {}

  /**
   * Color only: the sum of the costs and the highest of the penalties that the handlers of the
   * channel's color declare. What handlers with a color of their own declare goes to that color,
   * see {@link ColorTasks#declare}.
   */
  static HandlerCosts of(ChannelPipeline pipeline) {
    HandlerCosts sum = HandlerCosts.UNKNOWN;
    for (Map.Entry<String, ChannelHandler> entry : pipeline) {
      HandlerCosts costs = HandlerCosts.of(entry.getValue().getClass());
      if (costs.equals(HandlerCosts.UNKNOWN)) {
        continue;
      }
      @Nullable ChannelHandlerContext ctx = pipeline.context(entry.getValue());
      EventExecutor executor = ctx == null ? null : ctx.executor();
      if (!(executor instanceof ColorTasks other && other.declare(costs))) {
        sum = sum.plus(costs);
      }
    }
    return sum;
  }
}

package dev.mely.netty;

import dev.mely.annotation.Color;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;

/**
 * A channel initializer that obeys {@link Color}: annotated handlers run under the color that they
 * name, beside others of that color if they only read it, and all others under their channel's.
 *
 * <pre>{@code
 * bootstrap.childHandler(
 *     new ColoredInitializer<SocketChannel>() {
 *       protected void initChannel(SocketChannel channel, ChannelPipeline pipeline) {
 *         pipeline.addLast(new HttpServerCodec());
 *         pipeline.addLast(new PageCacheHandler()); // @Color("page-cache")
 *       }
 *     });
 * }</pre>
 *
 * <p>The executor of a handler is settled when it is added, since Netty would not let it be added a
 * second time. Hence the second argument: the channel's own pipeline, whose add methods look at the
 * handler's class first. What that means:
 *
 * <ul>
 *   <li>Handlers that are added through {@code channel.pipeline()} or {@code ctx.pipeline()} run
 *       under their channel's color; one line of the log, a warning, names each class of which that
 *       was found. For handlers that are added later, and in initializers that cannot be changed,
 *       {@link #colored} gives the pipeline that does.
 *   <li>An executor that is given ({@code addLast(executor, handler)}) wins over the annotation.
 *   <li>{@code replace} keeps the executor of the handler that is replaced, and warns if the new
 *       one names another color.
 *   <li>Under an event loop group that is not a {@link MelyEventLoopGroup} nothing is colored; the
 *       same warning says so.
 * </ul>
 *
 * <p>Sharable, as every {@link ChannelInitializer}.
 *
 * @param <C> class of the channels
 */
public abstract class ColoredInitializer<C extends Channel> extends ChannelInitializer<C> {
  /** Makes an initializer. */
  protected ColoredInitializer() {}

  /**
   * Adds the handlers of a channel that has just been registered.
   *
   * @param channel the channel
   * @param pipeline its pipeline, which obeys annotations
   * @throws Exception closes the channel
   */
  protected abstract void initChannel(C channel, ChannelPipeline pipeline) throws Exception;

  @Override
  protected final void initChannel(C channel) throws Exception {
    initChannel(channel, colored(channel.pipeline()));
  }

  /**
   * Returns a view of a pipeline whose add methods obey {@link Color}. Everything else goes
   * straight to the pipeline.
   *
   * @param pipeline of a registered channel
   * @return the view; if its channel is in no {@link MelyEventLoopGroup}, it does no more than to
   *     warn of annotated handlers
   */
  public static ChannelPipeline colored(ChannelPipeline pipeline) {
    return ColoredPipeline.of(
        pipeline,
        pipeline.channel().eventLoop().parent() instanceof MelyEventLoopGroup group ? group : null);
  }
}

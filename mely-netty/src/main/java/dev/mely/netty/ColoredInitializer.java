package dev.mely.netty;

import dev.mely.annotation.Color;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import java.util.Objects;

/**
 * A channel initializer that obeys {@link Color}: an annotated handler runs in the color that it
 * names, in parallel with others of that color if they only read it; all other handlers run in the
 * color of their channel.
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
 * <p>Netty fixes the executor of a handler when the handler is added, and a handler cannot be added
 * twice. Hence the second argument: a view of the channel's pipeline whose add methods look at the
 * handler's class first. What that means:
 *
 * <ul>
 *   <li>Handlers that are added through {@code channel.pipeline()} or {@code ctx.pipeline()} run in
 *       the color of their channel; a warning in the log names each class of which that was found.
 *       For handlers that are added later, and in initializers that cannot be changed, {@link
 *       #colored} gives the view.
 *   <li>An executor that is given ({@code addLast(executor, handler)}) wins over the annotation.
 *   <li>{@code replace} keeps the executor of the handler that is replaced, and warns if the new
 *       one names another color.
 *   <li>In an event loop group that is not a {@link MelyEventLoopGroup} nothing is colored; the
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
   * @param pipeline a view of its pipeline, which obeys annotations
   * @throws Exception closes the channel
   */
  protected abstract void initChannel(C channel, ChannelPipeline pipeline) throws Exception;

  @Override
  protected final void initChannel(C channel) throws Exception {
    initChannel(channel, colored(channel.pipeline()));
  }

  /**
   * Returns a view of a pipeline whose add methods obey {@link Color}. All other methods are those
   * of the pipeline.
   *
   * @param pipeline of a registered channel
   * @return the view; if its channel is in no {@link MelyEventLoopGroup}, it only warns of
   *     annotated handlers
   */
  public static ChannelPipeline colored(ChannelPipeline pipeline) {
    return ColoredPipeline.of(
        pipeline,
        Objects.requireNonNull(pipeline, "pipeline").channel().eventLoop().parent()
                instanceof MelyEventLoopGroup group
            ? group
            : null);
  }
}

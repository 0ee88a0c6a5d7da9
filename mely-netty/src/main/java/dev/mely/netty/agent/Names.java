package dev.mely.netty.agent;

/** Names of classes that are not met in the class loader of the code that names them. */
final class Names {
  static final String EXECUTOR_GROUP = "io.netty.util.concurrent.MultithreadEventExecutorGroup";
  static final String IO_GROUP = "io.netty.channel.MultiThreadIoEventLoopGroup";
  static final String NIO_GROUP = "io.netty.channel.nio.NioEventLoopGroup";
  static final String EPOLL_GROUP = "io.netty.channel.epoll.EpollEventLoopGroup";
  static final String IO_LOOP_GROUP = "io.netty.channel.IoEventLoopGroup";
  static final String IO_LOOP = "io.netty.channel.IoEventLoop";
  static final String LOOP = "io.netty.channel.EventLoop";
  static final String CHANNEL = "io.netty.channel.Channel";
  static final String PROMISE = "io.netty.channel.ChannelPromise";
  static final String CHOOSER_FACTORY = "io.netty.util.concurrent.EventExecutorChooserFactory";
  static final String MELY_GROUP = "dev.mely.netty.MelyEventLoopGroup";

  /** {@code GroupTransformer}. */
  static final String TRANSFORMER = "dev.mely.netty.agent.GroupTransformer";

  /** {@code GroupBuilder}. */
  static final String BUILDER = "dev.mely.netty.agent.GroupBuilder";

  /** What {@code GroupTransformer} adds to {@link #IO_GROUP}: the Mely group, if it is replaced. */
  static final String FIELD = "mely";

  private Names() {}
}

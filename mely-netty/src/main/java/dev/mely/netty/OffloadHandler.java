package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import dev.mely.annotation.Access;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs handlers in another color than their channel, so that they run beside it on another core:
 *
 * <pre>{@code
 * pipeline.addLast(new HttpServerCodec(), new HttpObjectAggregator(65_536));
 * pipeline.addLast(OffloadHandler.of(new ThumbnailHandler()));
 * }</pre>
 *
 * <p>The handlers see what they would see in the channel's own pipeline, in the same order:
 * messages, {@code channelReadComplete}, user events, exceptions, {@code channelInactive}. They
 * have a pipeline of their own, on a channel that stands for the real one: {@code ctx.pipeline()},
 * {@code ctx.channel()}, whose event loop is the color; id, attributes, addresses and configuration
 * are those of the real channel. What they do not consume goes on to the next handler, on the
 * channel's event loop. What they write is handed to the channel in order; one task of the event
 * loop runs what has gathered and flushes once. A write may be done before {@code write} returns:
 * who needs listeners in the order of the writes adds them to a promise and then writes with it.
 *
 * <p>Reads are held back while {@link #maxPending} messages or bytes wait to be handled: the
 * channel's auto-read is switched off, and on again later. A program that switches auto-read itself
 * must be the only one to do so: let it set no bound ({@code Integer.MAX_VALUE}), or begin with
 * auto-read off and call {@code read()}. Writes that wait for the event loop count for {@code
 * isWritable()}.
 *
 * <p>The color begins at the channel's core. Work that is too short for a steal stays there; longer
 * work is stolen by idle cores.
 *
 * <p>Put into it all handlers from the first that shall be off-loaded on. A handler behind it is on
 * the channel's event loop again; when the channel closes, it is told and removed at once, as Netty
 * does it, and does not see what the off-loaded handlers still send it then.
 *
 * <p>One for each pipeline; set it up before it is added. It uses no method of Netty that takes an
 * executor for a handler. Thread-safe once added. Source: Mely, section II (colors), for handlers.
 *
 * @see StreamInitializer
 * @see KeyedHandler
 */
public final class OffloadHandler extends ChannelDuplexHandler {
  private static final int MAX_MESSAGES = 16;
  private static final int MAX_BYTES = 64 << 10;

  private final List<ChannelHandler> handlers;
  private final Class<?> subject;

  /** Whether a handler may be an outbound one: then what is written from behind passes it. */
  private boolean outbound;

  private @Nullable Mely mely;
  private @Nullable Permissions asked;
  private @Nullable Color color;
  private int maxMessages = MAX_MESSAGES;
  private int maxBytes = MAX_BYTES;
  private @Nullable Credit credit;
  private boolean headFollows;

  /** Event loop only; null until it has been added. */
  private @Nullable Offloaded offloaded;

  /** Handles messages off the event loop. */
  @FunctionalInterface
  public interface MessageHandler {
    /**
     * Handles a message, which is released afterwards.
     *
     * @param ctx of the off-loaded handler
     * @param message the message
     * @throws Exception goes to {@code exceptionCaught} of the next handler
     */
    void handle(ChannelHandlerContext ctx, Object message) throws Exception;
  }

  private OffloadHandler(List<ChannelHandler> handlers, Class<?> subject) {
    if (handlers.isEmpty()) {
      throw new IllegalArgumentException("no handler to off-load");
    }
    this.handlers = handlers;
    this.subject = subject;
    this.outbound =
        handlers.stream()
            .anyMatch(h -> h instanceof ChannelOutboundHandler || h instanceof ChannelInitializer);
  }

  /**
   * Off-loads handlers, to a color of their own for each channel; or, if the last one's class names
   * a {@link dev.mely.annotation.Color}, to that one.
   *
   * @param handlers one or more, in the order of the pipeline. Among them may be a {@link
   *     ChannelInitializer}. {@link dev.mely.annotation.Cost} and {@link
   *     dev.mely.annotation.Penalty} of the last one's class are obeyed
   * @return a new handler, to be added to one pipeline
   * @throws IllegalArgumentException if there are none
   */
  public static OffloadHandler of(ChannelHandler... handlers) {
    List<ChannelHandler> all = new ArrayList<>();
    for (ChannelHandler handler : Objects.requireNonNull(handlers, "handlers")) {
      all.add(Objects.requireNonNull(handler, "handler"));
    }
    return new OffloadHandler(
        all, all.isEmpty() ? Object.class : all.get(all.size() - 1).getClass());
  }

  /**
   * Off-loads a function of messages, to a color of its own for each channel.
   *
   * @param handler handles one message after the other
   * @return a new handler, to be added to one pipeline
   */
  public static OffloadHandler of(MessageHandler handler) {
    Objects.requireNonNull(handler, "handler");
    return new OffloadHandler(List.of(new Calls(handler)), handler.getClass());
  }

  /**
   * Runs the handlers in a given color; channels that share it exclude each other.
   *
   * @param shared of the runtime
   * @return this
   * @throws IllegalStateException if it has been added to a pipeline
   */
  public OffloadHandler in(Color shared) {
    checkNotAdded();
    color = Objects.requireNonNull(shared, "shared");
    asked = null;
    return this;
  }

  /**
   * Runs the handlers with permissions: in parallel with others that only read the same colors.
   *
   * @param permissions what each event asks for, in colors of the runtime
   * @return this
   * @throws IllegalStateException if it has been added to a pipeline
   */
  public OffloadHandler in(Permissions permissions) {
    checkNotAdded();
    asked = Objects.requireNonNull(permissions, "permissions");
    color = null;
    return this;
  }

  /**
   * Sets the runtime whose cores run the handlers. Needed for channels that are in no {@link
   * MelyEventLoopGroup}; by default it is the group's.
   *
   * @param runtime to be closed by its owner, after the channels
   * @return this
   * @throws IllegalStateException if it has been added to a pipeline
   */
  public OffloadHandler on(Mely runtime) {
    checkNotAdded();
    mely = Objects.requireNonNull(runtime, "runtime");
    return this;
  }

  /**
   * Sets how much may wait to be handled before reads of the channel are held back. What one read
   * yields may come on top.
   *
   * @param messages 1 or more; 16 by default
   * @param bytes 1 or more, as the channel's {@link io.netty.channel.MessageSizeEstimator} counts
   *     them; 64 KiB by default
   * @return this
   * @throws IllegalArgumentException if one is below 1
   * @throws IllegalStateException if it has been added to a pipeline
   */
  public OffloadHandler maxPending(int messages, int bytes) {
    checkNotAdded();
    maxMessages = positive("messages", messages);
    maxBytes = positive("bytes", bytes);
    return this;
  }

  static int positive(String what, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be 1 or more, not " + value);
    }
    return value;
  }

  /** What is handled is credited to the window of an HTTP/2 stream. */
  OffloadHandler crediting(Credit newCredit) {
    credit = newCredit;
    return this;
  }

  /**
   * A first message follows as soon as the channel is active. That the handlers are added, and the
   * channel is registered and active, is then told in the event of that message.
   */
  OffloadHandler headFollows(boolean follows) {
    headFollows = follows;
    return this;
  }

  private void checkNotAdded() {
    if (offloaded != null) {
      throw new IllegalStateException("it has been added to a pipeline: set it up before");
    }
  }

  // ---- Added and removed

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (offloaded != null) {
      throw new IllegalStateException("an OffloadHandler can be added to one pipeline, once");
    }
    Channel channel = ctx.channel();
    OffloadLoop loop = loop(runtime(mely, channel, "OffloadHandler"), channel);
    OffloadSettings settings =
        new OffloadSettings(subject, maxMessages, maxBytes, credit, headFollows);
    offloaded = new Offloaded(ctx, loop, handlers, settings);
    offloaded.added();
  }

  /** The runtime that is given, or else that of the channel's group. */
  static Mely runtime(@Nullable Mely given, Channel channel, String handler) {
    if (given != null) {
      return given;
    }
    if (channel.eventLoop().parent() instanceof MelyEventLoopGroup group) {
      return group.mely();
    }
    throw new IllegalStateException(
        channel + " is in no MelyEventLoopGroup: name a runtime by " + handler + ".on(mely)");
  }

  private OffloadLoop loop(Mely runtime, Channel channel) {
    dev.mely.annotation.Color named = subject.getAnnotation(dev.mely.annotation.Color.class);
    Color shared = color;
    Permissions permissions = asked;
    if (shared == null && permissions == null && named != null) {
      if (named.access() == Access.READ) {
        permissions = Permissions.read(runtime.color((Object) named.value()));
      } else {
        shared = runtime.color((Object) named.value());
      }
    }
    if (shared != null) {
      return new OffloadLoop(runtime, shared, Permissions.write(shared), channel.eventLoop());
    }
    Color own = runtime.newColor(OffloadStep.Runner.of(subject).firstCore(runtime));
    Permissions all = permissions == null ? Permissions.write(own) : permissions.andWrite(own);
    return new OffloadLoop(runtime, own, all, channel.eventLoop());
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (offloaded != null) { // else it could not be added
      signal(Offloaded::removeAll);
    }
  }

  private Offloaded offloaded() {
    return Objects.requireNonNull(offloaded, "not added");
  }

  private void signal(Consumer<ChannelPipeline> signal) {
    offloaded().signal(signal);
  }

  // ---- Inbound: to the color

  @Override
  public void channelRegistered(ChannelHandlerContext ctx) {
    offloaded().registered();
  }

  /** Those behind are told at once, as of {@link #channelInactive}. */
  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) {
    offloaded().unregistered();
    ctx.fireChannelUnregistered();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (ctx.channel().config().isAutoRead()) {
      offloaded().open(ChannelPipeline::fireChannelActive);
    } else {
      signal(ChannelPipeline::fireChannelActive); // a first message may not come before a read
    }
  }

  /**
   * Those behind are told at once: the channel removes them in the same task of its event loop, so
   * that nothing could reach them later.
   */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    signal(ChannelPipeline::fireChannelInactive);
    ctx.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    offloaded().read(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    offloaded().readComplete();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    offloaded().userEvent(event);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    signal(ChannelPipeline::fireChannelWritabilityChanged);
  }

  /** Deprecated by Netty for outbound handlers only. */
  @Override
  @SuppressWarnings("deprecation")
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (offloaded == null) {
      ctx.fireExceptionCaught(cause);
    } else {
      signal(inner -> inner.fireExceptionCaught(cause));
    }
  }

  // ---- Outbound, of handlers behind and of the program: through the color if a handler may care

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (!ctx.channel().config().isAutoRead() && isOutbound()) {
      signal(ChannelPipeline::read);
    } else {
      offloaded().read();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (isOutbound()) {
      offloaded().write(message, promise);
    } else {
      ChannelFuture unused = ctx.write(message, promise);
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (isOutbound()) {
      signal(ChannelPipeline::flush);
    } else {
      ctx.flush();
    }
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    through(promise, ChannelPipeline::close, ctx::close);
  }

  @Override
  public void disconnect(ChannelHandlerContext ctx, ChannelPromise promise) {
    through(promise, ChannelPipeline::disconnect, ctx::disconnect);
  }

  @Override
  public void deregister(ChannelHandlerContext ctx, ChannelPromise promise) {
    through(promise, ChannelPipeline::deregister, ctx::deregister);
  }

  @Override
  public void bind(ChannelHandlerContext ctx, SocketAddress local, ChannelPromise promise) {
    through(promise, (inner, p) -> inner.bind(local, p), p -> ctx.bind(local, p));
  }

  @Override
  public void connect(
      ChannelHandlerContext ctx,
      SocketAddress remote,
      @Nullable SocketAddress local,
      ChannelPromise promise) {
    through(
        promise, (inner, p) -> inner.connect(remote, local, p), p -> ctx.connect(remote, local, p));
  }

  private boolean isOutbound() {
    outbound |= offloaded().hasOutboundHandler(); // for good, or a later write could overtake
    return outbound;
  }

  private void through(
      ChannelPromise promise,
      BiFunction<ChannelPipeline, ChannelPromise, ChannelFuture> inside,
      Function<ChannelPromise, ChannelFuture> past) {
    if (isOutbound()) {
      offloaded().operation(promise, inside, past);
    } else {
      ChannelFuture unused = past.apply(promise);
    }
  }

  /** A function as a handler. */
  private static final class Calls extends ChannelInboundHandlerAdapter {
    private final MessageHandler handler;

    Calls(MessageHandler handler) {
      this.handler = handler;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      try {
        handler.handle(ctx, message);
      } finally {
        ReferenceCountUtil.release(message);
      }
    }
  }
}

package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.net.SocketAddress;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A channel as its off-loaded handlers see it: the real one, but with their color as the event loop
 * and their own pipeline. What they do to it goes to the real channel in order, by {@link
 * Outbound}.
 *
 * <p>Thread-safe, as a channel is.
 */
class OffloadChannel implements Channel {
  private final Channel real;
  private final OffloadLoop loop;
  private final Outbound outbound;
  private final Head head = new Head();
  private final OffloadPipeline pipeline;

  /**
   * Whether the channel is registered as far as the handlers have been told: they are told in their
   * color, when the real one may have gone on. Netty's initializers look at this as they are added.
   * Written by the color.
   */
  private volatile boolean registered;

  /** Made by the first call of {@link #closeFuture}. Guarded by this. */
  private @Nullable ChannelPromise closed;

  OffloadChannel(Channel real, OffloadLoop loop, Outbound outbound) {
    this.real = real;
    this.loop = loop;
    this.outbound = outbound;
    this.pipeline = new OffloadPipeline(this, outbound);
    this.registered = real.isRegistered();
  }

  // ---- Its own

  @Override
  public final EventLoop eventLoop() {
    return loop;
  }

  @Override
  public final ChannelPipeline pipeline() {
    return pipeline;
  }

  @Override
  public final Unsafe unsafe() {
    return head;
  }

  @Override
  public final boolean isWritable() {
    return outbound.isWritable();
  }

  @Override
  public final long bytesBeforeUnwritable() {
    return outbound.bytesBeforeUnwritable();
  }

  @Override
  public final long bytesBeforeWritable() {
    return outbound.bytesBeforeWritable();
  }

  /** Its listeners run in the color. */
  @Override
  public final synchronized ChannelFuture closeFuture() {
    if (closed == null) {
      ChannelPromise promise = new DefaultChannelPromise(this);
      real.closeFuture().addListener(future -> promise.trySuccess());
      closed = promise;
    }
    return closed;
  }

  // ---- The real channel's

  @Override
  public final ChannelId id() {
    return real.id();
  }

  @Override
  public @Nullable Channel parent() {
    return real.parent();
  }

  @Override
  public ChannelConfig config() {
    return real.config();
  }

  @Override
  public final boolean isOpen() {
    return real.isOpen();
  }

  @Override
  public final boolean isRegistered() {
    return registered;
  }

  /** Color only: the handlers are about to be told. */
  final void setRegistered(boolean now) {
    registered = now;
  }

  @Override
  public final boolean isActive() {
    return real.isActive();
  }

  @Override
  public final ChannelMetadata metadata() {
    return real.metadata();
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return real.localAddress();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return real.remoteAddress();
  }

  @Override
  public final <T> Attribute<T> attr(AttributeKey<T> key) {
    return real.attr(key);
  }

  @Override
  public final <T> boolean hasAttr(AttributeKey<T> key) {
    return real.hasAttr(key);
  }

  @Override
  public final int compareTo(Channel other) {
    return this == other ? 0 : id().compareTo(other.id());
  }

  /** By its id, as the real channel's. */
  @Override
  public final int hashCode() {
    return real.hashCode();
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public String toString() {
    return "off-loaded " + real;
  }

  /** Color only: an operation on the real channel, behind those before. */
  final void perform(
      ChannelPromise promise,
      BiFunction<ChannelHandlerContext, ChannelPromise, ChannelFuture> operation) {
    outbound.perform(promise, operation);
  }

  /** The head of the pipeline: operations leave here for the real channel. Color only. */
  private final class Head implements Unsafe {
    @Override
    public void write(Object message, ChannelPromise promise) {
      boolean full;
      try {
        full = outbound.write(message, promise);
      } catch (Throwable t) {
        ReferenceCountUtil.safeRelease(message);
        promise.tryFailure(t);
        return;
      }
      if (full) {
        outbound.fireOwnWritability(pipeline);
      }
    }

    @Override
    public void flush() {
      outbound.flush();
    }

    /** With auto-read the real channel reads by itself. */
    @Override
    public void beginRead() {
      if (!config().isAutoRead()) {
        outbound.read();
      }
    }

    @Override
    public void bind(SocketAddress local, ChannelPromise promise) {
      perform(promise, (ctx, p) -> ctx.bind(local, p));
    }

    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      perform(promise, (ctx, p) -> ctx.connect(remote, local, p));
    }

    @Override
    public void disconnect(ChannelPromise promise) {
      perform(promise, (ctx, p) -> ctx.disconnect(p));
    }

    @Override
    public void close(ChannelPromise promise) {
      perform(promise, (ctx, p) -> ctx.close(p));
    }

    @Override
    public void deregister(ChannelPromise promise) {
      perform(promise, (ctx, p) -> ctx.deregister(p));
    }

    @Override
    public void closeForcibly() {
      outbound.call(() -> real.unsafe().closeForcibly());
    }

    @Override
    public ChannelPromise voidPromise() {
      return pipeline.voidPromise();
    }

    @Override
    @SuppressWarnings("deprecation") // its successor is the same interface
    public RecvByteBufAllocator.Handle recvBufAllocHandle() {
      return real.unsafe().recvBufAllocHandle();
    }

    @Override
    public @Nullable SocketAddress localAddress() {
      return real.localAddress();
    }

    @Override
    public @Nullable SocketAddress remoteAddress() {
      return real.remoteAddress();
    }

    @Override
    public void register(EventLoop eventLoop, ChannelPromise promise) {
      promise.setFailure(new IllegalStateException("the real channel is registered: " + real));
    }

    /** None: what waits to be written is counted by {@link Outbound}. */
    @Override
    public @Nullable ChannelOutboundBuffer outboundBuffer() {
      return null;
    }
  }
}

package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A registration with the I/O handler of a transport that is bound to its thread. The handler calls
 * the channel's handle itself; this counts the registrations of a loop.
 */
class PinnedRegistration implements Served {
  private final ColorChannels loop;
  private final IoHandle handle;
  private final @Nullable Channel channel;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /** The handler's own registration. Set once, before this is handed out. */
  @SuppressWarnings("NullAway.Init")
  private IoRegistration target;

  PinnedRegistration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    this.loop = loop;
    this.handle = handle;
    this.channel = channel;
  }

  @Override
  public final @Nullable Channel channel() {
    return channel;
  }

  final IoHandle handle() {
    return handle;
  }

  /** What the handler is to call. */
  IoHandle called() {
    return handle;
  }

  @Override
  public final void enter(IoHandler io) throws Exception {
    target = io.register(called());
  }

  @Override
  public final void entered() {
    // The handler has told the handle.
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals")
  public final <T> T attachment() {
    return target.attachment();
  }

  @Override
  public final long submit(IoOps ops) {
    return target.submit(ops);
  }

  @Override
  public final boolean isValid() {
    return target.isValid();
  }

  @Override
  public final boolean cancel() {
    if (!cancelled.compareAndSet(false, true)) {
      return false;
    }
    try {
      target.cancel(); // false if the handler, which is being destroyed, has done it already
    } finally {
      loop.unregistered(this);
    }
    return true;
  }
}

package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The registration of a channel whose transport is bound to its thread. The I/O handler calls the
 * channel's own handle; this object only counts for its event loop.
 */
class PinnedRegistration implements LoopRegistration {
  private final ColorChannels loop;
  private final IoHandle handle;
  private final @Nullable Channel channel;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /** The I/O handler's own registration. Set once, before this is handed out. */
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

  /** The handle to register with the I/O handler. */
  IoHandle called() {
    return handle;
  }

  @Override
  public final void registerWith(IoHandler io) throws Exception {
    target = io.register(called());
  }

  @Override
  public final void afterRegister() {
    // The I/O handler has already told the handle.
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
      target.cancel(); // false if the I/O handler, as it was destroyed, has done so before
    } finally {
      loop.unregistered(this);
    }
    return true;
  }
}

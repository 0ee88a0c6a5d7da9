package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoHandle;
import org.jspecify.annotations.Nullable;

/**
 * A registration with an io_uring. When the last operation of a closed channel has completed, the
 * channel cancels the registration that came with the completion. That must be this one, so it
 * stands between the I/O handler and the handle.
 */
@SuppressWarnings("try") // close may throw what the handle throws
final class IoUringRegistration extends PinnedRegistration implements IoUringIoHandle {
  IoUringRegistration(ColorChannels loop, IoHandle handle, @Nullable Channel channel) {
    super(loop, handle, channel);
  }

  @Override
  IoHandle called() {
    return this;
  }

  @Override
  public void registered() {
    handle().registered();
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    handle().handle(this, event);
  }

  @Override
  public void unregistered() {
    handle().unregistered();
  }

  @Override
  public void close() throws Exception {
    handle().close();
  }
}

package dev.mely.netty;

import io.netty.channel.nio.NioIoOps;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * The selection key that a channel sees. It shows the channel's interest, even while the real key
 * is masked. As thread-safe as its registration.
 */
final class ShadowKey extends SelectionKey {
  private final NioRegistration registration;

  ShadowKey(NioRegistration registration) {
    this.registration = registration;
  }

  @Override
  public SelectableChannel channel() {
    return registration.selectableChannel();
  }

  @Override
  public Selector selector() {
    return registration.key().selector();
  }

  @Override
  public boolean isValid() {
    return registration.isValid();
  }

  @Override
  public void cancel() {
    registration.cancel();
  }

  @Override
  public int interestOps() {
    return registration.interest();
  }

  @Override
  public SelectionKey interestOps(int ops) {
    registration.submit(NioIoOps.valueOf(ops));
    return this;
  }

  @Override
  public int readyOps() {
    return registration.ops().value();
  }
}

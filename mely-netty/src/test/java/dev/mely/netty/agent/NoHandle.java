package dev.mely.netty.agent;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

/** A handle of no transport. */
final class NoHandle implements IoHandle {
  @Override
  public void handle(IoRegistration registration, IoEvent event) {}

  @Override
  public void close() {}
}

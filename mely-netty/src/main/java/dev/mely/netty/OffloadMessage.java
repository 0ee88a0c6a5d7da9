package dev.mely.netty;

import io.netty.channel.ChannelPipeline;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A message or a user event of off-loaded handlers. */
final class OffloadMessage extends OffloadStep {
  final Offloaded owner;

  /** What is told before it; null: nothing. */
  final @Nullable Consumer<ChannelPipeline> before;

  final Object message;
  final boolean userEvent;
  final int size;

  /** What it takes of the window; such a message does not count for the bound. */
  final int bytes;

  OffloadMessage(
      Offloaded owner,
      @Nullable Consumer<ChannelPipeline> before,
      Object message,
      boolean userEvent,
      int size,
      int bytes) {
    this.owner = owner;
    this.before = before;
    this.message = message;
    this.userEvent = userEvent;
    this.size = size;
    this.bytes = bytes;
  }

  @Override
  void run() {
    owner.handle(this);
  }

  @Override
  void drop() {
    owner.drop(this);
  }
}

package dev.mely.netty;

import io.netty.channel.ChannelPipeline;
import java.util.function.Consumer;

/** What off-loaded handlers are told, beside messages and user events. */
final class OffloadSignal extends OffloadStep {
  final Offloaded owner;
  final Consumer<ChannelPipeline> signal;

  OffloadSignal(Offloaded owner, Consumer<ChannelPipeline> signal) {
    this.owner = owner;
    this.signal = signal;
  }

  @Override
  void run() {
    owner.handle(this);
  }

  @Override
  void drop() {
    Offloaded.drop(signal);
  }
}

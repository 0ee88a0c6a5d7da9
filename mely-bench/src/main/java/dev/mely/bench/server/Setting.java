package dev.mely.bench.server;

import dev.mely.netty.MelyEventLoopGroup;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.Objects;

/** An event loop and its buffers' allocator. */
enum Setting {
  STOCK_POOLED("stock-pooled"),
  STOCK_ADAPTIVE("stock-adaptive"),
  MELY_ADAPTIVE("mely-adaptive"),

  /** Mely's with a working set: above it, reads are delayed. */
  STINGY_BOUND("stingy-bound");

  private final String label;

  Setting(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Starts the loop. */
  EventLoopGroup start(long workingSet) {
    if (this == STOCK_POOLED || this == STOCK_ADAPTIVE) {
      return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }
    return MelyEventLoopGroup.builder()
        .cores(1)
        .transport("nio")
        .workingSet(this == STINGY_BOUND ? workingSet : 0)
        .build();
  }

  /** The allocator of its channels. */
  ByteBufAllocator allocator(EventLoopGroup group) {
    return switch (this) {
      case STOCK_POOLED -> new PooledByteBufAllocator(true);
      case STOCK_ADAPTIVE, MELY_ADAPTIVE -> new AdaptiveByteBufAllocator();
      case STINGY_BOUND ->
          Objects.requireNonNull(((MelyEventLoopGroup) group).allocator(), "has a working set");
    };
  }
}

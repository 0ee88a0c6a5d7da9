package dev.mely.bench.server;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Another allocator, whose direct buffers tell what is touched of them. Thread-safe. */
final class TracingAllocator extends AbstractByteBufAllocator {
  private final ByteBufAllocator source;
  private final Trace trace;

  /**
   * @param source whose buffers have addresses
   */
  TracingAllocator(ByteBufAllocator source, Trace trace) {
    super(true);
    this.source = source;
    this.trace = trace;
  }

  /** Whether addresses can be had here of an allocator's buffers. */
  static boolean canTrace(ByteBufAllocator source) {
    ByteBuf probe = source.directBuffer(1);
    try {
      return probe.hasMemoryAddress();
    } finally {
      probe.release();
    }
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return new TracingBuf(this, source.directBuffer(initialCapacity, maxCapacity), trace);
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return source.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return true;
  }
}

package dev.mely.netty.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory behind a {@link StingyBuf}, from its allocation until it is freed. Used by the thread
 * that has the buffer; freed once, by any thread.
 */
abstract class Block {
  /** Direct, big-endian; its position and limit are not used. */
  final ByteBuffer memory;

  /** Its address; 0 if Netty cannot tell. */
  final long address;

  /** A view for calls that want a position and a limit. */
  private @Nullable ByteBuffer view;

  Block(ByteBuffer memory) {
    this.memory = memory;
    // Only Netty can tell an address, and only if it may use Unsafe. The wrapper owns no memory.
    ByteBuf wrapper = Unpooled.wrappedBuffer(memory.duplicate().clear());
    this.address = wrapper.hasMemoryAddress() ? wrapper.memoryAddress() : 0;
  }

  Block(ByteBuffer memory, long address) {
    this.memory = memory;
    this.address = address;
  }

  /** Gives the memory back. */
  abstract void free();

  /** Always the same buffer, with a new position and limit. */
  final ByteBuffer view(int index, int length) {
    ByteBuffer cached = view;
    if (cached == null) {
      cached = memory.duplicate();
      view = cached;
    }
    return cached.limit(index + length).position(index);
  }
}

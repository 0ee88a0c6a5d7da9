package dev.mely.netty.memory;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of {@link Slabs}: a direct buffer over one {@link Block}, which is replaced by a larger
 * one when the buffer grows. The object outlives its blocks: its core keeps it for later buffers.
 *
 * <p>Slices and duplicates share its reference count, as those of unpooled buffers do.
 */
final class StingyBuf extends AbstractReferenceCountedByteBuf {
  private static final int CHUNK = 8192;

  private final Slabs slabs;

  /**
   * The core that keeps the object when the buffer is freed; null: the garbage collector takes it.
   */
  private final @Nullable CoreMemory home;

  private @Nullable Block block;

  /** The memory of the block; null after the last release. */
  @SuppressWarnings("NullAway.Init")
  private ByteBuffer memory;

  private int capacity;

  StingyBuf(Slabs slabs, @Nullable CoreMemory home) {
    super(0);
    this.slabs = slabs;
    this.home = home;
  }

  /** Makes it a new buffer: of this capacity, empty, with a reference count of 1. */
  void begin(Block newBlock, int initialCapacity, int maxCapacity) {
    use(newBlock);
    capacity = initialCapacity;
    maxCapacity(maxCapacity);
    resetRefCnt();
    setIndex(0, 0);
    markReaderIndex();
    markWriterIndex();
  }

  private void use(Block newBlock) {
    block = newBlock;
    memory = newBlock.memory;
  }

  private Block block() {
    Block current = block;
    if (current == null) {
      throw new IllegalReferenceCountException(0);
    }
    return current;
  }

  @Override
  @SuppressWarnings("NullAway") // not to be used after the last release
  protected void deallocate() {
    Block last = block();
    block = null;
    memory = null;
    last.free();
    if (home != null) {
      home.recycle(this);
    }
  }

  // ---- Capacity

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity > memory.capacity()) {
      move(newCapacity);
    }
    capacity = newCapacity;
    trimIndicesToCapacity(newCapacity);
    return this;
  }

  private void move(int newCapacity) {
    Block from = block();
    Block to = slabs.newBlock(newCapacity);
    to.memory.put(0, from.memory, 0, capacity);
    use(to);
    from.free();
  }

  @Override
  public int maxFastWritableBytes() {
    return Math.min(memory.capacity(), maxCapacity()) - writerIndex();
  }

  // ---- What it is

  @Override
  public ByteBufAllocator alloc() {
    return slabs.allocator();
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester") // Netty has deprecated its own method
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public @Nullable ByteBuf unwrap() {
    return null;
  }

  @Override
  public boolean isDirect() {
    return true;
  }

  @Override
  public boolean isContiguous() {
    return true;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    throw new UnsupportedOperationException("direct buffer");
  }

  @Override
  public int arrayOffset() {
    throw new UnsupportedOperationException("direct buffer");
  }

  @Override
  public boolean hasMemoryAddress() {
    Block current = block;
    return current != null && current.address != 0;
  }

  @Override
  public long memoryAddress() {
    ensureAccessible();
    if (!hasMemoryAddress()) {
      throw new UnsupportedOperationException("no address is known");
    }
    return block().address;
  }

  // ---- Single values

  @Override
  protected byte _getByte(int index) {
    return memory.get(index);
  }

  @Override
  protected short _getShort(int index) {
    return memory.getShort(index);
  }

  @Override
  protected short _getShortLE(int index) {
    return Short.reverseBytes(memory.getShort(index));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return (memory.get(index) & 0xff) << 16 | (memory.getShort(index + 1) & 0xffff);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return (memory.get(index + 2) & 0xff) << 16
        | (Short.reverseBytes(memory.getShort(index)) & 0xffff);
  }

  @Override
  protected int _getInt(int index) {
    return memory.getInt(index);
  }

  @Override
  protected int _getIntLE(int index) {
    return Integer.reverseBytes(memory.getInt(index));
  }

  @Override
  protected long _getLong(int index) {
    return memory.getLong(index);
  }

  @Override
  protected long _getLongLE(int index) {
    return Long.reverseBytes(memory.getLong(index));
  }

  @Override
  protected void _setByte(int index, int value) {
    memory.put(index, (byte) value);
  }

  @Override
  protected void _setShort(int index, int value) {
    memory.putShort(index, (short) value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    memory.putShort(index, Short.reverseBytes((short) value));
  }

  @Override
  protected void _setMedium(int index, int value) {
    memory.put(index, (byte) (value >>> 16));
    memory.putShort(index + 1, (short) value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    memory.putShort(index, Short.reverseBytes((short) value));
    memory.put(index + 2, (byte) (value >>> 16));
  }

  @Override
  protected void _setInt(int index, int value) {
    memory.putInt(index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    memory.putInt(index, Integer.reverseBytes(value));
  }

  @Override
  protected void _setLong(int index, long value) {
    memory.putLong(index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    memory.putLong(index, Long.reverseBytes(value));
  }

  // ---- Many bytes

  @Override
  public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
    checkDstIndex(index, length, dstIndex, dst.capacity());
    if (dst.hasArray()) {
      memory.get(index, dst.array(), dst.arrayOffset() + dstIndex, length);
    } else {
      dst.setBytes(dstIndex, memory.slice(index, length));
    }
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
    checkDstIndex(index, length, dstIndex, dst.length);
    memory.get(index, dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer dst) {
    checkIndex(index, dst.remaining());
    dst.put(memory.slice(index, dst.remaining()));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    checkIndex(index, length);
    byte[] chunk = new byte[Math.min(length, CHUNK)];
    for (int at = 0; at < length; at += chunk.length) {
      int n = Math.min(chunk.length, length - at);
      memory.get(index + at, chunk, 0, n);
      out.write(chunk, 0, n);
    }
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    checkIndex(index, length);
    return length == 0 ? 0 : out.write(memory.slice(index, length));
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
    checkIndex(index, length);
    return length == 0 ? 0 : out.write(memory.slice(index, length), position);
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int length) {
    checkSrcIndex(index, length, srcIndex, src.capacity());
    if (src.hasArray()) {
      memory.put(index, src.array(), src.arrayOffset() + srcIndex, length);
    } else {
      src.getBytes(srcIndex, memory.slice(index, length));
    }
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
    checkSrcIndex(index, length, srcIndex, src.length);
    memory.put(index, src, srcIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer src) {
    checkIndex(index, src.remaining());
    memory.slice(index, src.remaining()).put(src);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream in, int length) throws IOException {
    checkIndex(index, length);
    byte[] chunk = new byte[Math.min(length, CHUNK)];
    int n = in.read(chunk);
    if (n > 0) {
      memory.put(index, chunk, 0, n);
    }
    return n;
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel in, int length) throws IOException {
    checkIndex(index, length);
    try {
      return in.read(block().view(index, length));
    } catch (ClosedChannelException e) {
      return -1;
    }
  }

  @Override
  public int setBytes(int index, FileChannel in, long position, int length) throws IOException {
    checkIndex(index, length);
    try {
      return in.read(block().view(index, length), position);
    } catch (ClosedChannelException e) {
      return -1;
    }
  }

  @Override
  public ByteBuf copy(int index, int length) {
    checkIndex(index, length);
    return alloc().directBuffer(length, maxCapacity()).writeBytes(this, index, length);
  }

  // ---- As buffers of the JDK

  @Override
  public int nioBufferCount() {
    return 1;
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    checkIndex(index, length);
    return memory.slice(index, length);
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    checkIndex(index, length);
    return block().view(index, length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    return new ByteBuffer[] {nioBuffer(index, length)};
  }
}

package dev.mely.bench.cache;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A direct buffer that tells a {@link Trace} what is touched of it. It gives no address away, so
 * that transports ask it for views; what they have written of one they show by the reader index, or
 * by the release, and then it counts as read.
 */
final class TracingBuf extends AbstractReferenceCountedByteBuf {
  private final TracingAllocator allocator;
  private final ByteBuf buffer;
  private final Trace trace;
  private long address;

  /** A view is out: what the reader index passes over has been read through it. */
  private boolean viewed;

  TracingBuf(TracingAllocator allocator, ByteBuf buffer, Trace trace) {
    super(buffer.maxCapacity());
    this.allocator = allocator;
    this.buffer = buffer;
    this.trace = trace;
    this.address = buffer.memoryAddress();
  }

  private void touch(long index, long length) {
    trace.touch(address + index, length);
  }

  @Override
  public ByteBuf readerIndex(int newIndex) {
    int index = readerIndex();
    if (viewed && newIndex > index) {
      touch(index, newIndex - index);
    }
    return super.readerIndex(newIndex);
  }

  @Override
  public ByteBuf skipBytes(int length) {
    int index = readerIndex();
    super.skipBytes(length);
    if (viewed) {
      touch(index, length);
    }
    return this;
  }

  @Override
  protected void deallocate() {
    if (viewed) {
      touch(readerIndex(), writerIndex() - readerIndex());
    }
    buffer.release();
  }

  // ---- Capacity

  @Override
  public int capacity() {
    return buffer.capacity();
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    int kept = Math.min(newCapacity, capacity());
    long before = address;
    buffer.capacity(newCapacity);
    address = buffer.memoryAddress();
    if (address != before) {
      trace.touch(before, kept); // copied from there
      touch(0, kept);
    }
    trimIndicesToCapacity(newCapacity);
    return this;
  }

  // ---- What it is

  @Override
  public ByteBufAllocator alloc() {
    return allocator;
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester") // deprecated by Netty, whose it is
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
    return false;
  }

  @Override
  public long memoryAddress() {
    throw new UnsupportedOperationException("would be touched without a trace");
  }

  // ---- Single values

  @Override
  protected byte _getByte(int index) {
    touch(index, 1);
    return buffer.getByte(index);
  }

  @Override
  protected short _getShort(int index) {
    touch(index, 2);
    return buffer.getShort(index);
  }

  @Override
  protected short _getShortLE(int index) {
    touch(index, 2);
    return buffer.getShortLE(index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    touch(index, 3);
    return buffer.getUnsignedMedium(index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    touch(index, 3);
    return buffer.getUnsignedMediumLE(index);
  }

  @Override
  protected int _getInt(int index) {
    touch(index, 4);
    return buffer.getInt(index);
  }

  @Override
  protected int _getIntLE(int index) {
    touch(index, 4);
    return buffer.getIntLE(index);
  }

  @Override
  protected long _getLong(int index) {
    touch(index, 8);
    return buffer.getLong(index);
  }

  @Override
  protected long _getLongLE(int index) {
    touch(index, 8);
    return buffer.getLongLE(index);
  }

  @Override
  protected void _setByte(int index, int value) {
    touch(index, 1);
    buffer.setByte(index, value);
  }

  @Override
  protected void _setShort(int index, int value) {
    touch(index, 2);
    buffer.setShort(index, value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    touch(index, 2);
    buffer.setShortLE(index, value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    touch(index, 3);
    buffer.setMedium(index, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    touch(index, 3);
    buffer.setMediumLE(index, value);
  }

  @Override
  protected void _setInt(int index, int value) {
    touch(index, 4);
    buffer.setInt(index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    touch(index, 4);
    buffer.setIntLE(index, value);
  }

  @Override
  protected void _setLong(int index, long value) {
    touch(index, 8);
    buffer.setLong(index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    touch(index, 8);
    buffer.setLongLE(index, value);
  }

  // ---- Many values

  @Override
  public ByteBuf getBytes(int index, ByteBuf target, int targetIndex, int length) {
    touch(index, length);
    buffer.getBytes(index, target, targetIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] target, int targetIndex, int length) {
    touch(index, length);
    buffer.getBytes(index, target, targetIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer target) {
    touch(index, target.remaining());
    buffer.getBytes(index, target);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream target, int length) throws IOException {
    touch(index, length);
    buffer.getBytes(index, target, length);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel target, int length) throws IOException {
    int n = buffer.getBytes(index, target, length);
    touch(index, n);
    return n;
  }

  @Override
  public int getBytes(int index, FileChannel target, long position, int length) throws IOException {
    int n = buffer.getBytes(index, target, position, length);
    touch(index, n);
    return n;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf source, int sourceIndex, int length) {
    touch(index, length);
    buffer.setBytes(index, source, sourceIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
    touch(index, length);
    buffer.setBytes(index, source, sourceIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer source) {
    touch(index, source.remaining());
    buffer.setBytes(index, source);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream source, int length) throws IOException {
    int n = buffer.setBytes(index, source, length);
    touch(index, n);
    return n;
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel source, int length) throws IOException {
    int n = buffer.setBytes(index, source, length);
    touch(index, n);
    return n;
  }

  @Override
  public int setBytes(int index, FileChannel source, long position, int length) throws IOException {
    int n = buffer.setBytes(index, source, position, length);
    touch(index, n);
    return n;
  }

  @Override
  public ByteBuf copy(int index, int length) {
    return alloc().directBuffer(length, maxCapacity()).writeBytes(this, index, length);
  }

  // ---- Views

  @Override
  public int nioBufferCount() {
    return 1;
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    viewed = true;
    return buffer.nioBuffer(index, length);
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    viewed = true;
    return buffer.internalNioBuffer(index, length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    return new ByteBuffer[] {nioBuffer(index, length)};
  }
}

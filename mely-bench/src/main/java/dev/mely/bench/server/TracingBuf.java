package dev.mely.bench.server;

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

  private int touched(int index, long length) {
    touch(index, length);
    return index;
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
    return buffer.getByte(touched(index, 1));
  }

  @Override
  protected short _getShort(int index) {
    return buffer.getShort(touched(index, 2));
  }

  @Override
  protected short _getShortLE(int index) {
    return buffer.getShortLE(touched(index, 2));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return buffer.getUnsignedMedium(touched(index, 3));
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return buffer.getUnsignedMediumLE(touched(index, 3));
  }

  @Override
  protected int _getInt(int index) {
    return buffer.getInt(touched(index, 4));
  }

  @Override
  protected int _getIntLE(int index) {
    return buffer.getIntLE(touched(index, 4));
  }

  @Override
  protected long _getLong(int index) {
    return buffer.getLong(touched(index, 8));
  }

  @Override
  protected long _getLongLE(int index) {
    return buffer.getLongLE(touched(index, 8));
  }

  @Override
  protected void _setByte(int index, int value) {
    buffer.setByte(touched(index, 1), value);
  }

  @Override
  protected void _setShort(int index, int value) {
    buffer.setShort(touched(index, 2), value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    buffer.setShortLE(touched(index, 2), value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    buffer.setMedium(touched(index, 3), value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    buffer.setMediumLE(touched(index, 3), value);
  }

  @Override
  protected void _setInt(int index, int value) {
    buffer.setInt(touched(index, 4), value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    buffer.setIntLE(touched(index, 4), value);
  }

  @Override
  protected void _setLong(int index, long value) {
    buffer.setLong(touched(index, 8), value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    buffer.setLongLE(touched(index, 8), value);
  }

  // ---- Many values

  @Override
  public ByteBuf getBytes(int index, ByteBuf target, int targetIndex, int length) {
    buffer.getBytes(touched(index, length), target, targetIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] target, int targetIndex, int length) {
    buffer.getBytes(touched(index, length), target, targetIndex, length);
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
    buffer.getBytes(touched(index, length), target, length);
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
    buffer.setBytes(touched(index, length), source, sourceIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
    buffer.setBytes(touched(index, length), source, sourceIndex, length);
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

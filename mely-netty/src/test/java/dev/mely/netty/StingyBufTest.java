package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A buffer of the slab does what Netty's users expect of a buffer. */
@Timeout(300)
class StingyBufTest {
  private final StingyAllocator allocator = new StingyAllocator(1 << 18);
  private final WorkerThread worker = new WorkerThread();

  @AfterEach
  void nothingIsLeft() throws Exception {
    worker.close();
    assertEquals(0, allocator.liveBytes());
    LeakCounter.assertNoLeaks();
  }

  /** Runs a test with a buffer of a slab, and releases that. */
  private void with(int capacity, Consumer<ByteBuf> test) throws Exception {
    worker.run(
        () -> {
          ByteBuf buffer = allocator.directBuffer(capacity);
          try {
            test.accept(buffer);
          } finally {
            if (buffer.refCnt() > 0) {
              buffer.release(buffer.refCnt());
            }
          }
        });
  }

  @Test
  void valuesOfAllKindsAtAllPlaces() throws Exception {
    with(
        64,
        buffer -> {
          for (int i = 0; i < 8; i++) {
            long value = 0x8182_8384_8586_8788L * (i + 1);
            buffer.setLong(i, value);
            assertEquals(value, buffer.getLong(i));
            buffer.setLongLE(i, value);
            assertEquals(value, buffer.getLongLE(i));
            assertEquals(Long.reverseBytes(value), buffer.getLong(i));
            buffer.setInt(i, (int) value);
            assertEquals((int) value, buffer.getInt(i));
            buffer.setIntLE(i, (int) value);
            assertEquals((int) value, buffer.getIntLE(i));
            buffer.setShort(i, (short) value);
            assertEquals((short) value, buffer.getShort(i));
            buffer.setShortLE(i, (short) value);
            assertEquals((short) value, buffer.getShortLE(i));
            buffer.setMedium(i, (int) value);
            assertEquals((int) value & 0xffffff, buffer.getUnsignedMedium(i));
            buffer.setMediumLE(i, (int) value);
            assertEquals((int) value & 0xffffff, buffer.getUnsignedMediumLE(i));
            buffer.setByte(i, (int) value);
            assertEquals((byte) value, buffer.getByte(i));
            buffer.setDouble(i, value).setFloat(i + 10, value);
            assertEquals((double) value, buffer.getDouble(i));
            assertEquals((float) value, buffer.getFloat(i + 10));
          }
        });
  }

  @Test
  void indicesOutOfBoundsAreRefused() throws Exception {
    with(
        8,
        buffer -> {
          List<Consumer<ByteBuf>> wrong =
              List.of(
                  b -> b.getByte(-1),
                  b -> b.getByte(8),
                  b -> b.getShort(7),
                  b -> b.getMedium(6),
                  b -> b.getInt(5),
                  b -> b.getLong(1),
                  b -> b.setByte(8, 0),
                  b -> b.setLong(1, 0),
                  b -> b.getBytes(1, new byte[8]),
                  b -> b.getBytes(0, new byte[4], 1, 4),
                  b -> b.getBytes(4, Unpooled.buffer(8), 0, 8),
                  b -> b.getBytes(1, ByteBuffer.allocate(8)),
                  b -> b.setBytes(1, ByteBuffer.allocate(8)),
                  b -> b.setBytes(1, new byte[8]),
                  b -> b.setIndex(1, 0),
                  b -> b.writerIndex(9),
                  b -> b.readByte(),
                  b -> b.skipBytes(1),
                  b -> b.slice(0, 9),
                  b -> b.nioBuffer(0, 9),
                  b -> b.internalNioBuffer(-1, 1),
                  b -> b.copy(0, 9));
          for (int i = 0; i < wrong.size(); i++) {
            Consumer<ByteBuf> access = wrong.get(i);
            assertThrows(
                IndexOutOfBoundsException.class, () -> access.accept(buffer), "number " + i);
          }
          // Not beyond the capacity, although the block is larger.
          assertTrue(buffer.maxFastWritableBytes() > 8);
        });
  }

  @Test
  void capacityGrowsAndShrinks() throws Exception {
    with(
        16,
        buffer -> {
          buffer.writeLong(1).writeLong(2);
          buffer.capacity(100_000);
          assertEquals(100_000, buffer.capacity());
          assertEquals(2, buffer.getLong(8));
          buffer.capacity(8);
          assertEquals(8, buffer.writerIndex());
          assertEquals(1, buffer.readLong());
          buffer.capacity(4);
          assertEquals(4, buffer.readerIndex());
          assertThrows(IndexOutOfBoundsException.class, () -> buffer.getLong(0));
          assertThrows(IllegalArgumentException.class, () -> buffer.capacity(-1));
        });
    worker.run(
        () -> {
          ByteBuf bounded = allocator.directBuffer(4, 8);
          assertThrows(IllegalArgumentException.class, () -> bounded.capacity(9));
          bounded.writeLong(1);
          assertThrows(IndexOutOfBoundsException.class, () -> bounded.writeByte(0));
          assertEquals(8, bounded.maxFastWritableBytes() + bounded.writerIndex());
          bounded.release();
        });
  }

  @Test
  void afterTheLastReleaseNothingWorks() throws Exception {
    worker.run(
        () -> {
          ByteBuf buffer = allocator.directBuffer(16).writeLong(1);
          buffer.retain(2);
          assertEquals(3, buffer.refCnt());
          assertFalse(buffer.release(2));
          assertTrue(buffer.release());
          List<Consumer<ByteBuf>> late =
              List.of(
                  ByteBuf::release,
                  ByteBuf::retain,
                  ByteBuf::readLong,
                  b -> b.getByte(0),
                  b -> b.setByte(0, 0),
                  b -> b.writeByte(0),
                  b -> b.writeBytes(new byte[1]),
                  b -> b.capacity(8),
                  b -> b.capacity(100),
                  ByteBuf::copy,
                  ByteBuf::nioBuffer,
                  b -> b.internalNioBuffer(0, 1),
                  ByteBuf::memoryAddress,
                  b -> b.discardReadBytes(),
                  ByteBuf::retainedSlice,
                  b -> b.forEachByte(0, 1, value -> true));
          for (int i = 0; i < late.size(); i++) {
            Consumer<ByteBuf> access = late.get(i);
            assertThrows(
                IllegalReferenceCountException.class, () -> access.accept(buffer), "number " + i);
          }
        });
  }

  /** The object is used again for the next buffer, which knows nothing of the last one. */
  @Test
  void aNewBufferIsNew() throws Exception {
    worker.run(
        () -> {
          ByteBuf first = allocator.directBuffer(512, 600);
          ByteBuf bare = first.unwrap() == null ? first : first.unwrap();
          first.writeZero(100).skipBytes(50).markReaderIndex().markWriterIndex();
          first.release();
          ByteBuf second = allocator.directBuffer(10);
          assertSame(bare, second.unwrap() == null ? second : second.unwrap());
          assertEquals(1, second.refCnt());
          assertEquals(0, second.readerIndex());
          assertEquals(0, second.writerIndex());
          assertEquals(10, second.capacity());
          assertEquals(Integer.MAX_VALUE, second.maxCapacity());
          second.writeZero(5).resetReaderIndex().resetWriterIndex();
          assertEquals(0, second.writerIndex());
          second.release();
        });
  }

  @Test
  void slicesAndDuplicatesShareMemoryAndCount() throws Exception {
    with(
        16,
        buffer -> {
          buffer.writeLong(0x0102030405060708L);
          ByteBuf slice = buffer.slice(2, 4);
          slice.setByte(0, 9);
          assertEquals(9, buffer.getByte(2));
          assertThrows(IndexOutOfBoundsException.class, () -> slice.getByte(4));
          ByteBuf duplicate = buffer.duplicate();
          duplicate.readInt();
          assertEquals(0, buffer.readerIndex());
          ByteBuf retained = buffer.retainedSlice(0, 8);
          assertEquals(2, buffer.refCnt());
          ByteBuf nested = retained.retainedDuplicate();
          assertEquals(3, buffer.refCnt());
          assertFalse(nested.release());
          assertFalse(buffer.release());
          assertEquals(0x0102_0904_0506_0708L, retained.getLong(0));
          ByteBuf read = buffer.readRetainedSlice(3);
          assertEquals(3, buffer.readerIndex());
          assertFalse(read.release());
          assertTrue(retained.release());
          assertEquals(0, buffer.refCnt());
        });
  }

  @Test
  void copiesAreApart() throws Exception {
    with(
        16,
        buffer -> {
          buffer.writeLong(1);
          ByteBuf copy = buffer.copy();
          copy.setLong(0, 2);
          assertEquals(1, buffer.getLong(0));
          assertSame(allocator, copy.alloc());
          copy.release();
        });
  }

  @Test
  void readBytesAreDiscarded() throws Exception {
    with(
        16,
        buffer -> {
          buffer.writeLong(1).writeLong(2);
          buffer.skipBytes(8).markReaderIndex();
          buffer.discardReadBytes();
          assertEquals(0, buffer.readerIndex());
          assertEquals(8, buffer.writerIndex());
          assertEquals(2, buffer.getLong(0));
          buffer.resetReaderIndex();
          assertEquals(0, buffer.readerIndex());
          buffer.skipBytes(8).discardSomeReadBytes();
          assertEquals(0, buffer.writerIndex());
        });
  }

  @Test
  void nioBuffersAreViewsOfTheirOwn() throws Exception {
    with(
        16,
        buffer -> {
          buffer.writeLong(7).writeLong(8);
          ByteBuffer view = buffer.nioBuffer(8, 8);
          assertEquals(8, view.getLong());
          assertEquals(8, view.capacity());
          assertTrue(view.isDirect());
          view.putLong(0, 9);
          assertEquals(9, buffer.getLong(8));
          assertEquals(1, buffer.nioBufferCount());
          assertNotSame(buffer.nioBuffer(), buffer.nioBuffer());
          assertEquals(16, buffer.nioBuffers()[0].remaining());
          ByteBuffer internal = buffer.internalNioBuffer(8, 4);
          assertEquals(4, internal.remaining());
          assertSame(internal, buffer.internalNioBuffer(0, 16));
          assertEquals(7, internal.getLong());
          assertFalse(buffer.hasArray());
          assertThrows(UnsupportedOperationException.class, buffer::array);
          assertThrows(UnsupportedOperationException.class, buffer::arrayOffset);
        });
  }

  @Test
  void theAddressIsThatOfTheMemory() throws Exception {
    with(
        600,
        buffer -> {
          ByteBuf wrapped = Unpooled.wrappedBuffer(buffer.internalNioBuffer(0, 600));
          assertEquals(wrapped.hasMemoryAddress(), buffer.hasMemoryAddress());
          if (buffer.hasMemoryAddress()) {
            assertEquals(wrapped.memoryAddress(), buffer.memoryAddress());
            buffer.capacity(5000);
            assertEquals(
                Unpooled.wrappedBuffer(buffer.internalNioBuffer(0, 5000)).memoryAddress(),
                buffer.memoryAddress());
          } else {
            assertThrows(UnsupportedOperationException.class, buffer::memoryAddress);
          }
        });
  }

  @Test
  void bytesGoToAndComeFromBuffersOfAllKinds() throws Exception {
    List<Supplier<ByteBuf>> kinds =
        List.of(
            () -> Unpooled.buffer(20),
            () -> Unpooled.directBuffer(20),
            () -> allocator.directBuffer(20),
            () -> Unpooled.compositeBuffer().addComponent(Unpooled.buffer(20).writeZero(20)));
    for (Supplier<ByteBuf> kind : kinds) {
      with(
          20,
          buffer -> {
            ByteBuf other = kind.get();
            for (int i = 0; i < 20; i++) {
              buffer.setByte(i, i);
              other.setByte(i, 100 + i);
            }
            buffer.getBytes(3, other, 5, 4);
            buffer.setBytes(10, other, 2, 5);
            assertEquals("66676803040506", ByteBufUtil.hexDump(other, 2, 7));
            assertEquals("6667680304", ByteBufUtil.hexDump(buffer, 10, 5));
            assertEquals(0, other.readerIndex());
            other.release();
          });
    }
    with(
        20,
        buffer -> {
          buffer.setZero(0, 20);
          buffer.setBytes(2, buffer.setLong(0, 0x0102030405060708L), 0, 8); // overlapping
          assertEquals("01020102030405060708", ByteBufUtil.hexDump(buffer, 0, 10));
        });
  }

  @Test
  void streamsAndChannels(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("bytes");
    with(
        20_000,
        buffer -> {
          byte[] all = new byte[20_000];
          new Random(1).nextBytes(all);
          try {
            assertEquals(
                100, buffer.setBytes(0, new ByteArrayInputStream(new byte[100]), 200), "no more");
            assertEquals(-1, buffer.setBytes(0, new ByteArrayInputStream(new byte[0]), 1));
            ByteArrayInputStream in = new ByteArrayInputStream(all);
            while (buffer.writeBytes(in, 20_000) > 0 && buffer.writerIndex() < 20_000) {
              // more
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            buffer.getBytes(0, out, 20_000);
            assertTrue(Arrays.equals(all, out.toByteArray()));
            try (FileChannel channel =
                FileChannel.open(
                    file,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE)) {
              assertEquals(10_000, buffer.getBytes(0, channel, 10_000));
              assertEquals(10_000, buffer.getBytes(10_000, channel, 10_000L, 10_000));
              buffer.setZero(0, 20_000);
              channel.position(0);
              assertEquals(5000, buffer.setBytes(0, channel, 5000));
              assertEquals(15_000, buffer.setBytes(5000, channel, 5000L, 15_000));
              assertEquals(-1, buffer.setBytes(0, channel, 20_000L, 10));
            }
            assertEquals(-1, buffer.setBytes(0, FileChannel.open(file).position(20_000), 10));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          byte[] read = new byte[20_000];
          buffer.getBytes(0, read);
          assertTrue(Arrays.equals(all, read));
        });
  }

  @Test
  void textAndSearch() throws Exception {
    with(
        4,
        buffer -> {
          int n = buffer.writeCharSequence("one\r\ntwö\r\n", StandardCharsets.UTF_8);
          assertEquals(11, n);
          assertEquals("one\r\ntwö\r\n", buffer.toString(StandardCharsets.UTF_8));
          assertEquals(3, buffer.indexOf(0, n, (byte) '\r'));
          assertEquals(4, buffer.bytesBefore((byte) '\n'));
          assertEquals(10, buffer.forEachByteDesc(value -> value != '\n'));
          assertEquals(Unpooled.copiedBuffer(buffer), buffer);
          assertEquals(Unpooled.copiedBuffer(buffer).hashCode(), buffer.hashCode());
          assertEquals(0, buffer.compareTo(Unpooled.copiedBuffer(buffer)));
          assertTrue(buffer.asReadOnly().isReadOnly());
          buffer.clear();
          assertFalse(buffer.isReadable());
        });
  }
}

package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A buffer of the slab and an unpooled one: the same operations, drawn from a seed, have the same
 * results.
 */
@Timeout(300)
class StingyBufModelTest {
  private final StingyAllocator allocator = new StingyAllocator(1 << 18);
  private final WorkerThread worker = new WorkerThread();

  @AfterEach
  void nothingIsLeft() throws Exception {
    worker.close();
    assertEquals(0, allocator.liveBytes());
    LeakCounter.assertNoLeaks();
  }

  /** What is done to a buffer, and what comes of it. */
  private interface Step {
    @Nullable Object on(ByteBuf buffer) throws Exception;
  }

  /** Each with the same random numbers, so that both buffers get the same. */
  private static Step step(Random random, int written) {
    int kind = random.nextInt(34);
    long value = random.nextLong();
    int number = (int) value;
    int length = random.nextInt(8) == 0 ? random.nextInt(5000) : random.nextInt(40);
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    // Inside what is written, mostly: beyond that two buffers may hold anything.
    int wrong = random.nextInt(12) == 0 ? (random.nextBoolean() ? -1 : 1 << 20) : 0;
    int within = Math.min(length, written);
    int at = wrong != 0 ? wrong : random.nextInt(written - within + 1);
    int at8 = wrong != 0 || written < 8 ? 1 << 20 : random.nextInt(written - 7);
    return switch (kind) {
      case 0 -> b -> b.writeByte(number).writerIndex();
      case 1 -> b -> b.writeShort(number).writerIndex();
      case 2 -> b -> b.writeShortLE(number).writerIndex();
      case 3 -> b -> b.writeMedium(number).writerIndex();
      case 4 -> b -> b.writeMediumLE(number).writerIndex();
      case 5 -> b -> b.writeInt(number).writeIntLE(number).writerIndex();
      case 6 -> b -> b.writeLong(value).writeLongLE(value).writerIndex();
      case 7 -> b -> b.writeBytes(bytes).writerIndex();
      case 8 -> b -> b.writeBytes(ByteBuffer.wrap(bytes)).writerIndex();
      case 9 ->
          b -> {
            ByteBuf direct = Unpooled.directBuffer().writeBytes(bytes);
            try {
              return b.writeBytes(direct).writerIndex();
            } finally {
              direct.release();
            }
          };
      case 10 -> b -> b.writeZero(length).writerIndex();
      case 11 -> b -> b.writeBytes(new ByteArrayInputStream(bytes), length);
      case 12 -> ByteBuf::readByte;
      case 13 -> ByteBuf::readShortLE;
      case 14 -> ByteBuf::readUnsignedMedium;
      case 15 -> ByteBuf::readMediumLE;
      case 16 -> ByteBuf::readInt;
      case 17 -> ByteBuf::readLongLE;
      case 18 -> b -> dump(b.readBytes(length));
      case 19 -> b -> ByteBufUtil.hexDump(b.readSlice(length));
      case 20 -> b -> dump(b.readRetainedSlice(length));
      case 21 -> b -> b.getLong(at8);
      case 22 -> b -> b.setLong(at8, value).getIntLE(at8 + 1);
      // UnpooledDirectByteBuf of 4.2.18 does not check the index of setMediumLE.
      case 23 -> b -> (at8 < written ? b.setMediumLE(at8, number) : b).getShort(at8 + 2);
      case 24 -> b -> dump(b.copy(at, within));
      // Of nothing to be set, some buffers check the index.
      case 25 -> b -> within == 0 ? "" : ByteBufUtil.hexDump(b.setZero(at, within), at, within);
      case 26 -> b -> ByteBufUtil.hexDump(b.setBytes(at, bytes, 0, within), at, within);
      case 27 -> b -> b.nioBuffer(at, within).hashCode();
      case 28 -> b -> b.discardReadBytes().writerIndex();
      case 29 -> b -> b.markReaderIndex().markWriterIndex();
      case 30 -> b -> b.readerIndex(Math.min(b.writerIndex(), length)).resetReaderIndex();
      case 31 -> b -> b.ensureWritable(length).isWritable(length);
      case 32 -> b -> b.bytesBefore((byte) number) + b.indexOf(written, 0, (byte) number);
      default -> b -> b.slice(at, within).hashCode();
    };
  }

  private static String dump(ByteBuf buffer) {
    try {
      return ByteBufUtil.hexDump(buffer);
    } finally {
      buffer.release();
    }
  }

  private static Object outcome(Step step, ByteBuf buffer) {
    try {
      Object result = step.on(buffer);
      return result instanceof ByteBuf || result == null ? "done" : result;
    } catch (Exception e) {
      return e.getClass().getSimpleName();
    }
  }

  private static String state(ByteBuf buffer) {
    return buffer.readerIndex() + "-" + buffer.writerIndex() + ", " + buffer.refCnt();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void randomOperationsDoTheSameToAnUnpooledBuffer(long seed) throws Exception {
    worker.run(
        () -> {
          Random random = new Random(seed);
          int failures = 0;
          for (int round = 0; round < 40; round++) {
            int initial = random.nextInt(2000);
            int max = initial + random.nextInt(1 << 17);
            ByteBuf stingy = allocator.directBuffer(initial, max);
            ByteBuf model = new UnpooledByteBufAllocator(true, true).directBuffer(initial, max);
            List<Object> done = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
              int written = model.writerIndex();
              long drawn = random.nextLong();
              Object expected = outcome(step(new Random(drawn), written), model);
              Object actual = outcome(step(new Random(drawn), written), stingy);
              done.add(expected);
              assertEquals(expected, actual, () -> "seed " + seed + " after " + done);
              failures += expected.toString().endsWith("Exception") ? 1 : 0;
              assertEquals(state(model), state(stingy), () -> "seed " + seed + " after " + done);
              assertTrue(
                  ByteBufUtil.equals(model, 0, stingy, 0, model.writerIndex()),
                  () -> "seed " + seed + " after " + done);
              // They grow in steps of their own: from here on both have the same capacity.
              int same = Math.min(model.capacity(), stingy.capacity());
              model.capacity(same);
              stingy.capacity(same);
            }
            assertTrue(model.release());
            assertTrue(stingy.release());
          }
          assertTrue(failures > 50, "too few refusals to mean anything");
        });
    assertTrue(allocator.cores().get(0).taken() > 40, "nothing came from the slab");
  }
}

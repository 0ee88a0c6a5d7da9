package dev.mely.netty.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.WorkerThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** D3: direct memory runs out: what could not be had counts nowhere, however often. */
@Timeout(300)
class OutOfMemoryTest {
  private static final int SLAB = 1 << 18;

  /** Larger than any block of a slab. */
  private static final int LARGE = 100_000;

  private final FailingMemory memory = new FailingMemory();
  private final Slabs slabs = new Slabs(memory, memory, SLAB);
  private final WorkerThread one = new WorkerThread();
  private final WorkerThread two = new WorkerThread();

  @AfterEach
  void nothingIsLeft() throws Exception {
    one.close();
    two.close();
    assertEquals(0, live());
  }

  private long live() {
    return slabs.cores().mapToLong(CoreMemory::liveBytes).sum();
  }

  private List<Long> liveOfEach() {
    return slabs.cores().map(CoreMemory::liveBytes).toList();
  }

  private List<Long> fallbacksOfEach() {
    return slabs.cores().map(CoreMemory::fallbacks).toList();
  }

  /** Both for want of a block that is large enough, and for want of a free one. */
  @ParameterizedTest
  @ValueSource(ints = {0, SLAB})
  void aBufferThatCouldNotBeHadIsNotLive(int slab) throws Exception {
    Slabs some = new Slabs(memory, memory, slab);
    memory.out(true);
    one.run(
        () -> {
          for (int i = 0; i < 3; i++) {
            assertThrows(OutOfMemoryError.class, () -> some.newBuffer(LARGE, LARGE));
          }
          CoreMemory core = some.cores().toList().get(0);
          assertEquals(0, core.liveBytes());
          assertEquals(0, core.peakLiveBytes());
          assertEquals(0, core.fallbacks(), "none has come from there");
          memory.out(false);
          ByteBuf had = some.newBuffer(LARGE, LARGE);
          assertEquals(LARGE, core.liveBytes());
          assertEquals(1, core.fallbacks());
          had.release();
          assertEquals(0, core.liveBytes());
        });
  }

  /** It is as it was, and can grow later. */
  @Test
  void aBufferThatCannotGrowKeepsItsBytesAndItsCount() throws Exception {
    one.run(
        () -> {
          ByteBuf buffer = slabs.newBuffer(16, 4 * LARGE);
          buffer.writeLong(42);
          for (int from : new int[] {512, LARGE}) {
            long before = live();
            assertEquals(from, before);
            memory.out(true);
            assertThrows(OutOfMemoryError.class, () -> buffer.capacity(2 * LARGE));
            assertThrows(OutOfMemoryError.class, () -> buffer.writeZero(LARGE));
            assertThrows(OutOfMemoryError.class, () -> buffer.ensureWritable(LARGE));
            assertEquals(before, live());
            assertEquals(8, buffer.readableBytes());
            assertEquals(42, buffer.getLong(0));
            memory.out(false);
            buffer.capacity(LARGE);
          }
          assertEquals(LARGE, live());
          buffer.release();
          assertEquals(0, live());
        });
  }

  /** Its parts count, the whole that they could not become does not. */
  @Test
  void aCompositeThatCannotBeMadeOneKeepsItsParts() throws Exception {
    one.run(
        () -> {
          // Made of buffers of the slab, consolidated by the allocator that runs out.
          CompositeByteBuf composite = memory.compositeDirectBuffer(16);
          composite.addComponent(true, slabs.newBuffer(LARGE, LARGE).writeZero(LARGE));
          composite.addComponent(true, slabs.newBuffer(512, 512).writeZero(512));
          assertEquals(LARGE + 512, live());
          memory.out(true);
          assertThrows(OutOfMemoryError.class, composite::consolidate);
          assertThrows(OutOfMemoryError.class, composite::copy);
          memory.out(false);
          assertEquals(LARGE + 512, live());
          assertTrue(composite.release());
          assertEquals(0, live());
        });
  }

  /** A copy asks the allocator of its buffer. */
  @Test
  void aCopyThatCouldNotBeHadIsNotLive() throws Exception {
    one.run(
        () -> {
          ByteBuf buffer = slabs.newBuffer(LARGE, LARGE).writeZero(LARGE);
          memory.out(true);
          assertThrows(OutOfMemoryError.class, buffer::copy);
          assertEquals(LARGE, live());
          buffer.release();
        });
  }

  /** Two cores, of which each has something else, and both lack something in between. */
  @Test
  void eachCoreCountsWhatIsItsOwn() throws Exception {
    ByteBuf small = one.call(() -> slabs.newBuffer(1000, 4 * LARGE));
    ByteBuf large = two.call(() -> slabs.newBuffer(LARGE, 4 * LARGE));
    memory.out(true);
    one.run(() -> assertThrows(OutOfMemoryError.class, () -> slabs.newBuffer(LARGE, LARGE)));
    // A buffer grows into the memory of the core that writes.
    two.run(() -> assertThrows(OutOfMemoryError.class, () -> small.capacity(LARGE)));
    one.run(() -> assertThrows(OutOfMemoryError.class, () -> large.capacity(2 * LARGE)));
    assertEquals(List.of(1024L, (long) LARGE), liveOfEach());
    assertEquals(List.of(0L, 1L), fallbacksOfEach());
    memory.out(false);
    two.run(() -> small.capacity(2 * LARGE));
    assertEquals(List.of(0L, 3L * LARGE), liveOfEach());
    one.run(() -> large.capacity(3 * LARGE));
    assertEquals(List.of(3L * LARGE, 2L * LARGE), liveOfEach());
    assertEquals(List.of(1L, 2L), fallbacksOfEach());
    assertEquals(
        List.of(3L * LARGE, 3L * LARGE), slabs.cores().map(CoreMemory::peakLiveBytes).toList());
    one.run(small::release);
    assertEquals(List.of(3L * LARGE, 0L), liveOfEach());
    two.run(large::release);
    assertEquals(List.of(0L, 0L), liveOfEach());
  }

  /** Threads that are no workers count their blocks, and those alone that they have got. */
  @Test
  void whatAnotherThreadCouldNotHaveIsNotCounted() {
    memory.out(true);
    assertThrows(OutOfMemoryError.class, () -> slabs.newBuffer(100, 100));
    assertEquals(0, slabs.apart());
    memory.out(false);
    ByteBuf buffer = slabs.newBuffer(100, 200);
    memory.out(true);
    assertThrows(OutOfMemoryError.class, () -> buffer.capacity(200));
    assertEquals(1, slabs.apart());
    assertTrue(buffer.release());
  }
}

package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** D3, D4: where buffers come from, and where they go. */
@Timeout(300)
class StingyAllocatorTest {
  private static final int SLAB = 1 << 20;

  /** The largest block of a slab in bytes. */
  private static final int LARGEST = 64 * 1024;

  private final StingyAllocator allocator = new StingyAllocator(SLAB);

  private StingyAllocator.Core core() {
    assertEquals(1, allocator.cores().size());
    return allocator.cores().get(0);
  }

  @Test
  void aWorkerTakesFromItsSlab() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      ByteBuf buffer = worker.call(() -> allocator.directBuffer(1000));
      assertTrue(buffer.isDirect());
      assertTrue(buffer.isContiguous());
      assertEquals(1000, buffer.capacity());
      assertEquals(Integer.MAX_VALUE, buffer.maxCapacity());
      assertSame(allocator, buffer.alloc());
      assertEquals(1, core().taken());
      assertEquals(0, core().fallbacks());
      assertEquals(1024, core().liveBytes());
      assertEquals(SLAB, core().slabBytes());
      assertTrue(core().thread().startsWith("worker"), core().thread());
      worker.run(buffer::release);
      assertEquals(0, core().liveBytes());
      assertEquals(1024, core().peakLiveBytes());
    }
  }

  @Test
  void otherThreadsFallBackAndAreCounted() {
    ByteBuf buffer = allocator.directBuffer(1000);
    assertSame(allocator, buffer.alloc());
    assertEquals(1, allocator.apart());
    assertEquals(List.of(), allocator.cores());
    assertEquals(0, allocator.liveBytes());
    buffer.writeBytes(new byte[5000]);
    assertEquals(2, allocator.apart(), "it has moved");
    assertTrue(buffer.release());
  }

  @Test
  void whatTheSlabHasNoRoomForFallsBack() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      List<ByteBuf> buffers = new ArrayList<>();
      worker.run(
          () -> {
            while (allocator.fallbacks() == 0) {
              buffers.add(allocator.directBuffer(64 * 1024));
            }
          });
      assertEquals(3, buffers.size(), "an eighth of the slab is theirs");
      assertEquals(2, core().taken());
      assertEquals(3 * 64 * 1024, core().liveBytes(), "what is beside the slab lives, too");
      worker.run(() -> buffers.forEach(ByteBuf::release));
      assertEquals(0, core().liveBytes());
      assertEquals(3 * 64 * 1024, core().peakLiveBytes());
    }
  }

  @Test
  void whatIsLargerThanAnyBlockFallsBack() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      ByteBuf large = worker.call(() -> allocator.directBuffer(LARGEST + 1));
      assertEquals(1, allocator.fallbacks());
      assertEquals(LARGEST + 1, core().liveBytes());
      large.release();
      assertEquals(0, core().liveBytes());
    }
  }

  @Test
  void aLargerClassStandsIn() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      List<ByteBuf> buffers = new ArrayList<>();
      int each = SLAB / 8;
      worker.run(
          () -> {
            while (allocator.fallbacks() == 0) {
              buffers.add(allocator.directBuffer(16 * 1024));
            }
          });
      assertEquals(each / (16 << 10) + each / (32 << 10) + each / (64 << 10) + 1, buffers.size());
      worker.run(() -> buffers.forEach(ByteBuf::release));
      assertEquals(0, allocator.liveBytes());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 511, 512, 513, 1024, 1025, 40_000, 65_536, 65_537, 1_000_000})
  void eachSizeHasItsCapacity(int size) throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      worker.run(
          () -> {
            ByteBuf buffer = allocator.directBuffer(size);
            assertEquals(size, buffer.capacity());
            assertTrue(buffer.maxFastWritableBytes() >= size);
            buffer.writeZero(size);
            assertTrue(buffer.release());
            assertEquals(0, allocator.liveBytes());
          });
    }
  }

  @Test
  void anEmptySlabHasNoBlocks() throws Exception {
    StingyAllocator none = new StingyAllocator(0);
    try (WorkerThread worker = new WorkerThread()) {
      ByteBuf buffer = worker.call(() -> none.directBuffer(10));
      assertEquals(1, none.fallbacks());
      assertTrue(buffer.release());
    }
  }

  @Test
  void buffersGrowWithinTheSlabAndOutOfIt() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      worker.run(
          () -> {
            ByteBuf buffer = allocator.directBuffer(16);
            Random random = new Random(3);
            byte[] all = new byte[200_000];
            random.nextBytes(all);
            for (int at = 0; at < all.length; ) {
              int n = Math.min(1 + random.nextInt(3000), all.length - at);
              buffer.writeBytes(all, at, n);
              at += n;
            }
            assertEquals(2, allocator.fallbacks(), "128 and 256 KiB");
            assertEquals(buffer.capacity(), allocator.liveBytes());
            byte[] read = new byte[all.length];
            buffer.readBytes(read);
            assertEquals(List.of(box(all)), List.of(box(read)));
            assertTrue(buffer.release());
            assertEquals(0, allocator.liveBytes());
          });
    }
  }

  private static String box(byte[] bytes) {
    return java.util.Arrays.toString(bytes);
  }

  @Test
  void othersFreeIntoTheSlab() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      int rounds = 10 * SLAB / 8 / 1024; // many times what there is
      for (int i = 0; i < rounds; i++) {
        worker.call(() -> allocator.directBuffer(1024)).release();
      }
      assertEquals(0, allocator.fallbacks());
      assertEquals(rounds, core().taken());
      assertEquals(0, core().liveBytes());
    }
  }

  @Test
  void eachWorkerHasASlabOfItsOwnAndABufferGrowsIntoTheOneOfWhoWrites() throws Exception {
    try (WorkerThread home = new WorkerThread();
        WorkerThread thief = new WorkerThread()) {
      ByteBuf buffer = home.call(() -> allocator.directBuffer(512));
      thief.run(() -> buffer.writeZero(2048));
      assertEquals(
          List.of(0L, 2048L),
          allocator.cores().stream().map(StingyAllocator.Core::liveBytes).toList());
      assertTrue(buffer.release());
      assertEquals(0, allocator.liveBytes());
    }
  }

  @Test
  void aWorkerThatHasEndedLeavesNoSlab() throws Exception {
    ByteBuf late;
    try (WorkerThread worker = new WorkerThread()) {
      late = worker.call(() -> allocator.directBuffer(100).writeLong(42));
    }
    try (WorkerThread next = new WorkerThread()) {
      next.run(() -> allocator.directBuffer(100).release());
      assertEquals(2, allocator.cores().size(), "somebody still has a buffer of the first");
      assertEquals(42, late.readLong());
      assertTrue(late.release());
    }
    try (WorkerThread last = new WorkerThread()) {
      last.run(() -> allocator.directBuffer(100).release());
      assertEquals(1, allocator.cores().size());
    }
  }

  @Test
  void ioBuffersAndBuffersAreDirectHeapBuffersAreNot() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      worker.run(
          () -> {
            assertTrue(allocator.isDirectBufferPooled());
            for (ByteBuf direct : List.of(allocator.ioBuffer(10), allocator.buffer(10, 20))) {
              assertTrue(direct.isDirect());
              assertEquals(10, direct.capacity());
              direct.release();
            }
            ByteBuf heap = allocator.heapBuffer(10, 20);
            assertTrue(heap.hasArray());
            heap.release();
            ByteBuf none = allocator.directBuffer(0, 0);
            assertEquals(0, none.capacity());
            assertEquals(0, allocator.liveBytes());
          });
    }
  }

  @Test
  void compositesAreMadeOfItsBuffers() throws Exception {
    try (WorkerThread worker = new WorkerThread()) {
      worker.run(
          () -> {
            CompositeByteBuf composite = allocator.compositeBuffer(4);
            for (int i = 0; i < 10; i++) {
              composite.addComponent(true, allocator.directBuffer(8).writeLong(i));
            }
            assertTrue(composite.isDirect());
            assertEquals(80, composite.readableBytes());
            for (int i = 0; i < 10; i++) {
              assertEquals(i, composite.readLong());
            }
            assertTrue(composite.release());
            CompositeByteBuf heap = allocator.compositeHeapBuffer();
            assertFalse(heap.isDirect());
            heap.release();
            assertEquals(0, allocator.liveBytes());
          });
    }
  }

  @Test
  void newCapacitiesAreThoseOfNetty() {
    for (int wanted : new int[] {1, 64, 65, 1000, 5_000_000}) {
      assertEquals(
          ByteBufAllocator.DEFAULT.calculateNewCapacity(wanted, Integer.MAX_VALUE),
          allocator.calculateNewCapacity(wanted, Integer.MAX_VALUE));
    }
    assertThrows(IllegalArgumentException.class, () -> allocator.calculateNewCapacity(8, 7));
    assertThrows(IllegalArgumentException.class, () -> allocator.calculateNewCapacity(-1, 8));
    assertThrows(IllegalArgumentException.class, () -> allocator.directBuffer(-1));
    assertThrows(IllegalArgumentException.class, () -> allocator.directBuffer(8, 7));
  }

  @Test
  void usedMemoryIsThatOfTheSlabsAndTheFallback() throws Exception {
    assertEquals(0, allocator.metric().usedDirectMemory());
    try (WorkerThread worker = new WorkerThread()) {
      ByteBuf small = worker.call(() -> allocator.directBuffer(100));
      assertEquals(SLAB, allocator.metric().usedDirectMemory());
      ByteBuf large = worker.call(() -> allocator.directBuffer(500_000));
      assertTrue(allocator.metric().usedDirectMemory() >= SLAB + 500_000);
      long heap = allocator.metric().usedHeapMemory();
      ByteBuf onHeap = allocator.heapBuffer(100_000);
      assertNotEquals(heap, allocator.metric().usedHeapMemory());
      assertTrue(allocator.metric().toString().contains("live"));
      List.of(small, large, onHeap).forEach(ByteBuf::release);
    }
  }

  @Test
  void badSizesAreRefused() {
    Throwable refused = assertThrows(IllegalArgumentException.class, () -> new StingyAllocator(-1));
    assertTrue(refused.getMessage().endsWith("but is -1"), refused::getMessage);
    assertThrows(
        IllegalArgumentException.class,
        () -> new StingyAllocator(StingyAllocator.MAX_WORKING_SET + 1));
    assertTrue(StingyAllocator.defaultWorkingSet() > 0);
  }

  /** Two workers that send each other buffers: contents arrive, nothing is left. */
  @Test
  void buffersTravel() throws Exception {
    StingyAllocator small = new StingyAllocator(64 * 1024);
    List<TransferQueue<ByteBuf>> mail =
        List.of(new LinkedTransferQueue<>(), new LinkedTransferQueue<>());
    AtomicInteger faults = new AtomicInteger();
    List<Thread> workers = new ArrayList<>();
    for (int w = 0; w < 2; w++) {
      int self = w;
      Thread thread =
          new Thread(
              () -> {
                Random random = new Random(self);
                Deque<ByteBuf> own = new ArrayDeque<>();
                for (int i = 0; i < 30_000; i++) {
                  int value = random.nextInt();
                  ByteBuf buffer = small.directBuffer(1 + random.nextInt(3000));
                  buffer.writeInt(value);
                  buffer.writeZero(random.nextInt(3000));
                  buffer.writeInt(value);
                  (random.nextBoolean() ? own : mail.get(1 - self)).add(buffer);
                  for (ByteBuf old = mail.get(self).poll();
                      old != null;
                      old = mail.get(self).poll()) {
                    check(old, faults);
                  }
                  if (own.size() > random.nextInt(20)) {
                    check(own.remove(), faults);
                  }
                }
                own.forEach(buffer -> check(buffer, faults));
              });
      dev.mely.netty.blocking.WorkerThreads.add(thread);
      workers.add(thread);
    }
    workers.forEach(Thread::start);
    for (Thread thread : workers) {
      thread.join();
    }
    mail.forEach(queue -> queue.forEach(buffer -> check(buffer, faults)));
    assertEquals(0, faults.get());
    assertEquals(0, small.liveBytes());
    assertTrue(small.fallbacks() > 0, "the slab is too small for all of them");
    assertTrue(small.cores().stream().allMatch(core -> core.taken() > 0));
  }

  private static void check(ByteBuf buffer, AtomicInteger faults) {
    boolean sound = buffer.readInt() == buffer.getInt(buffer.writerIndex() - 4);
    faults.addAndGet(sound && buffer.release() ? 0 : 1);
  }
}

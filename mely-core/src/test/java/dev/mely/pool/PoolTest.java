package dev.mely.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.stage.Plan;
import dev.mely.topology.Topology;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** D3, D4: what a core's pool promises. */
@Timeout(300)
class PoolTest {
  private static final PoolObject SMALL = new PoolObject("small", 10, 3);
  private static final PoolObject LARGE = new PoolObject("large", 1000, 2);

  private final Pool pool = new Pool(List.of(SMALL, LARGE));

  private static Instance taken(@Nullable Instance instance) {
    assertNotNull(instance);
    return instance;
  }

  @Test
  void noMoreThanPlanned() {
    Set<Instance> out = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < SMALL.count(); i++) {
      out.add(taken(pool.take(0)));
    }
    assertEquals(3, out.size());
    assertNull(pool.take(0), "of 3 a fourth");
    assertNotNull(pool.take(1), "the other object has its own");
    assertEquals(new PoolStatistics(4, 0, 1, 3 * 64 + 1024, 3 * 64 + 1024), pool.statistics());
  }

  @Test
  void whatIsFreedIsTakenAgainAndCounted() {
    Instance first = taken(pool.take(1));
    Instance second = taken(pool.take(1));
    pool.free(first);
    assertEquals(1024, pool.liveBytes());
    assertEquals(1, pool.available(1));
    assertSame(first, pool.take(1));
    pool.free(second);
    pool.free(first);
    assertSame(first, pool.take(1), "the last one freed is still in the cache");
    assertEquals(new PoolStatistics(4, 3, 0, 1024, 2048), pool.statistics());
  }

  @Test
  void memoryIsDirectApartAndAtCacheLines() {
    List<Instance> all = new ArrayList<>();
    for (int object = 0; object < 2; object++) {
      for (@Nullable Instance i = pool.take(object); i != null; i = pool.take(object)) {
        all.add(i);
      }
    }
    assertEquals(5, all.size());
    for (int i = 0; i < all.size(); i++) {
      ByteBuffer memory = all.get(i).memory();
      assertTrue(memory.isDirect());
      assertEquals(ByteOrder.BIG_ENDIAN, memory.order());
      assertEquals(pool.objects().get(all.get(i).object()).size(), memory.capacity());
      assertEquals(0, memory.alignmentOffset(0, Pool.LINE));
      while (memory.hasRemaining()) {
        memory.put((byte) i);
      }
    }
    for (int i = 0; i < all.size(); i++) {
      ByteBuffer memory = all.get(i).memory().flip();
      while (memory.hasRemaining()) {
        assertEquals(i, memory.get(), "somebody else wrote into " + all.get(i));
      }
    }
  }

  @Test
  void memoryIsClearedWhenTaken() {
    Instance instance = taken(pool.take(0));
    instance.memory().position(3).limit(5);
    pool.free(instance);
    assertSame(instance, pool.take(0));
    assertEquals(10, instance.memory().remaining());
  }

  @Test
  void whatIsAttachedStays() {
    Instance instance = taken(pool.take(0));
    assertNull(instance.attachment());
    instance.attach("made of it");
    pool.free(instance);
    assertEquals("made of it", taken(pool.take(0)).attachment());
  }

  @Test
  void othersMayFreeAndTheOwnerTakesBack() throws Exception {
    Instance a = taken(pool.take(1));
    Instance b = taken(pool.take(1));
    inThread(
        () -> {
          pool.free(a);
          pool.free(b);
        });
    assertEquals(0, pool.liveBytes());
    assertEquals(new PoolStatistics(2, 2, 0, 0, 2048), pool.statistics());
    assertNotSame(taken(pool.take(1)), taken(pool.take(1)));
    assertNull(pool.take(1));
  }

  @Test
  void whatOthersFreeIsAvailable() throws Exception {
    Instance a = taken(pool.take(1));
    inThread(() -> pool.free(a));
    assertEquals(2, pool.available(1));
  }

  @Test
  void aDoubleFreeIsRefused() throws Exception {
    Instance instance = taken(pool.take(0));
    pool.free(instance);
    Throwable again = assertThrows(IllegalStateException.class, () -> pool.free(instance));
    assertEquals("instance of small has been freed already", again.getMessage());
    inThread(() -> assertThrows(IllegalStateException.class, () -> pool.free(instance)));
    assertEquals(3, pool.available(0));
    assertEquals(1, pool.statistics().returned());
  }

  @Test
  void memoryOfAFreedInstanceIsRefused() {
    Instance instance = taken(pool.take(0));
    pool.free(instance);
    assertThrows(IllegalStateException.class, instance::memory);
  }

  @Test
  void anInstanceOfAnotherPoolIsRefused() {
    Instance instance = taken(new Pool(List.of(SMALL)).take(0));
    Throwable refused = assertThrows(IllegalArgumentException.class, () -> pool.free(instance));
    assertEquals("instance of small is of another pool", refused.getMessage());
  }

  @Test
  void onlyTheOwnerTakes() throws Exception {
    inThread(() -> assertNotNull(pool.take(0)));
    Throwable refused = assertThrows(IllegalStateException.class, () -> pool.take(0));
    assertTrue(refused.getMessage().contains("belongs to"), refused::getMessage);
    assertThrows(IllegalStateException.class, () -> pool.available(0));
  }

  @Test
  void afterCloseNothingIsTakenAndWhatIsOutComesBack() {
    Instance instance = taken(pool.take(0));
    pool.close();
    assertThrows(IllegalStateException.class, () -> pool.take(0));
    assertEquals(10, instance.memory().capacity());
    pool.free(instance);
    assertEquals(0, pool.liveBytes());
  }

  @Test
  void badPlansAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new PoolObject("", 1, 1));
    Throwable size = assertThrows(IllegalArgumentException.class, () -> new PoolObject("a", 0, 1));
    assertEquals("size of a: 0 (expected: 1 or more bytes)", size.getMessage());
    assertThrows(IllegalArgumentException.class, () -> new PoolObject("a", 1, -1));
    List<PoolObject> huge = List.of(new PoolObject("a", 1 << 30, 2));
    Throwable bytes = assertThrows(IllegalArgumentException.class, () -> new Pool(huge));
    assertTrue(bytes.getMessage().contains("2147483648"), bytes::getMessage);
    assertThrows(IndexOutOfBoundsException.class, () -> pool.take(2));
  }

  @Test
  void anEmptyPlanFallsBackAlways() {
    Pool none = new Pool(List.of(new PoolObject("none", 100, 0)));
    assertEquals(0, none.bytes());
    assertNull(none.take(0));
    assertEquals(1, none.statistics().fallbacks());
  }

  @Test
  void sizesAreRoundedToCacheLines() {
    assertEquals(64, SMALL.slabSize());
    assertEquals(64, new PoolObject("line", 64, 1).slabSize());
    assertEquals(128, new PoolObject("more", 65, 1).slabSize());
    assertEquals(3 * 64 + 2 * 1024, pool.bytes());
  }

  @Test
  void theDefaultIsHalfOfThePrivateL2(@TempDir Path sys) throws IOException {
    Path l2 = sys.resolve("devices/system/cpu/cpu0/cache/index2");
    Files.createDirectories(l2);
    Files.writeString(sys.resolve("devices/system/cpu/online"), "0\n");
    Files.writeString(l2.resolve("level"), "2\n");
    Files.writeString(l2.resolve("type"), "Unified\n");
    Files.writeString(l2.resolve("size"), "1024K\n");
    Files.writeString(l2.resolve("shared_cpu_list"), "0\n");
    assertEquals(512 * 1024, Pool.defaultBytes(Topology.read(sys), 0));
    assertEquals(Pool.BYTES_IF_UNKNOWN, Pool.defaultBytes(Topology.read(sys), -1));
    assertEquals(Pool.BYTES_IF_UNKNOWN, Pool.defaultBytes(Topology.flat(1), 0));
  }

  @Test
  void planBecomesAPool() {
    Map<String, Plan.Instances> objects = new LinkedHashMap<>();
    objects.put("request", new Plan.Instances(3, 176, Set.of("Receive")));
    objects.put("answer", new Plan.Instances(2, 65_542, Set.of("Process", "Done")));
    Pool planned = new Pool(PoolObject.of(new Plan(objects)));
    assertEquals(
        List.of(new PoolObject("request", 176, 3), new PoolObject("answer", 65_542, 2)),
        planned.objects());
    assertEquals(65_542, taken(planned.take(1)).memory().capacity());
  }

  /** One owner, two that free: nothing is lost, and nobody has what somebody else has. */
  @Test
  void manyThreadsFree() throws Exception {
    Pool busy = new Pool(List.of(new PoolObject("a", 8, 20), new PoolObject("b", 200, 7)));
    AtomicInteger faults = new AtomicInteger();
    List<TransferQueue<Instance>> mail =
        List.of(new LinkedTransferQueue<>(), new LinkedTransferQueue<>());
    ExecutorService others = Executors.newFixedThreadPool(2);
    int rounds = 100_000;
    AtomicInteger sent = new AtomicInteger();
    Instance end = taken(new Pool(List.of(SMALL)).take(0));
    for (TransferQueue<Instance> queue : mail) {
      others.execute(
          () -> {
            try {
              for (Instance i = queue.take(); i != end; i = queue.take()) {
                faults.addAndGet(i.memory().getLong(0) == System.identityHashCode(i) ? 0 : 1);
                busy.free(i);
              }
            } catch (InterruptedException | RuntimeException e) {
              faults.incrementAndGet();
            }
          });
    }
    Random random = new Random(1);
    Deque<Instance> own = new ArrayDeque<>();
    for (int i = 0; i < rounds; i++) {
      Instance instance = busy.take(random.nextInt(2));
      if (instance == null) {
        Thread.yield();
        continue;
      }
      instance.memory().putLong(0, System.identityHashCode(instance));
      int to = random.nextInt(3);
      if (to == 2) {
        own.add(instance);
        if (own.size() > 3) {
          busy.free(own.remove());
        }
      } else {
        sent.incrementAndGet();
        mail.get(to).add(instance);
      }
    }
    mail.forEach(queue -> queue.add(end));
    others.shutdown();
    assertTrue(others.awaitTermination(120, java.util.concurrent.TimeUnit.SECONDS));
    own.forEach(busy::free);
    assertEquals(0, faults.get());
    assertTrue(sent.get() > 0);
    assertEquals(0, busy.liveBytes());
    assertEquals(20, busy.available(0));
    assertEquals(7, busy.available(1));
    PoolStatistics statistics = busy.statistics();
    assertEquals(statistics.taken(), statistics.returned());
    assertTrue(statistics.peakLiveBytes() <= busy.bytes());
  }

  private static void inThread(Runnable body) throws InterruptedException {
    Throwable[] failure = new Throwable[1];
    Thread thread = new Thread(body);
    thread.setUncaughtExceptionHandler((unused, e) -> failure[0] = e);
    thread.start();
    thread.join();
    assertNull(failure[0]);
  }
}

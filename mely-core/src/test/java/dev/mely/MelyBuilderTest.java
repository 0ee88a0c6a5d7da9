package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.spi.Poller;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Topology;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class MelyBuilderTest {
  @TempDir private Path directory;

  @Test
  void errorsNameTheSettingAndTheValue() {
    MelyBuilder builder = Mely.builder();
    assertMentions("cores must be between 0 and 4096, but is -1", () -> builder.cores(-1));
    assertMentions("4097", () -> builder.cores(4097));
    assertMentions("batch must be between 1", () -> builder.batch(0));
    assertMentions("batchTime must be more than zero", () -> builder.batchTime(Duration.ZERO));
    assertMentions("reportBlockedAfter", () -> builder.reportBlockedAfter(Duration.ofNanos(-1)));
    assertMentions("closeTimeout", () -> builder.closeTimeout(Duration.ofNanos(-1)));
    assertMentions("PT-1S", () -> builder.pollInterval(Duration.ofSeconds(-1)));
    assertMentions("stuckAfter", () -> builder.stuckAfter(Duration.ZERO));
    assertMentions("spins must be between 0 and 1000000, but is -5", () -> builder.spins(-5));
    assertMentions("1000001", () -> builder.spins(1_000_001));
    assertMentions(
        "reportBlockedAfter must be zero or more, but is PT-0.001S",
        () -> builder.reportBlockedAfter(Duration.ofMillis(-1)));
    assertMentions("maxPending must be between 0", () -> builder.maxPending(-1));
    assertMentions("but is 1099511627777", () -> builder.maxPending((1L << 40) + 1));
    assertMentions(
        "maxPendingPerColor must be between 0 and 1073741824, but is -2",
        () -> builder.maxPendingPerColor(-2));
    assertMentions("1073741825", () -> builder.maxPendingPerColor((1 << 30) + 1));
  }

  /**
   * Each setting, also one that is added later: it must be set here, and be the same in the copy.
   */
  @Test
  void aCopyHasEachSettingAndIsIndependent() throws IllegalAccessException {
    MelyBuilder builder =
        Mely.builder()
            .cores(3)
            .pinned(true)
            .threadFactory(Thread::new)
            .pollers(Notes::new)
            .machine(AllowedCpus.system(), Topology.system());
    MelyBuilder copy = builder.copy();
    for (Field field : MelyBuilder.class.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && field.getType() != Settings.class) {
        field.setAccessible(true);
        Object value = field.get(builder);
        assertTrue(value != null && !value.equals(false), () -> "not set: " + field);
        assertEquals(value, field.get(copy), field::toString);
      }
    }
    copy.cores(2).pinned(false);
    try (Mely original = builder.pinned(false).build();
        Mely changed = copy.build()) {
      assertEquals(3, original.inspect().cores());
      assertEquals(2, changed.inspect().cores());
    }
  }

  /** What is refused changes nothing, and the limits themselves are allowed. */
  @Test
  void limitsAreAllowed() {
    MelyBuilder builder =
        Mely.builder()
            .cores(1)
            .pinned(false)
            .reportBlockedAfter(Duration.ZERO)
            .closeTimeout(Duration.ofSeconds(Long.MAX_VALUE))
            .maxPending(1L << 40)
            .maxPendingPerColor(1 << 30)
            .overflow(MelyBuilder.Overflow.BLOCK)
            .order(MelyBuilder.Order.CHEAPEST_FIRST)
            .stealOldest(true);
    assertThrows(IllegalArgumentException.class, () -> builder.maxPending(-1));
    try (Mely mely = builder.build()) {
      Settings settings = mely.scheduler().settings;
      assertEquals(0, settings.reportBlockedNanos);
      assertEquals(1L << 40, settings.maxPending);
      assertEquals(1 << 30, settings.maxPendingPerColor);
      assertTrue(settings.blocksProducers);
      assertTrue(settings.cheapestFirst);
      assertTrue(settings.stealsOldest);
    }
    try (Mely mely = builder.maxPending(0).maxPendingPerColor(0).build()) {
      assertNull(mely.scheduler().overload, "0: no bound");
    }
  }

  @Test
  void boundsAndOrdersAreOffByDefault() {
    try (Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      Settings settings = mely.scheduler().settings;
      assertEquals(0, settings.maxPending);
      assertEquals(0, settings.maxPendingPerColor);
      assertFalse(settings.blocksProducers);
      assertFalse(settings.cheapestFirst);
      assertFalse(settings.stealsOldest);
      assertEquals(500_000_000, settings.reportBlockedNanos);
    }
  }

  @Test
  @SuppressWarnings("NullAway")
  void nullIsRefused() {
    MelyBuilder builder = Mely.builder();
    for (Executable setter :
        List.<Executable>of(
            () -> builder.policy(null),
            () -> builder.batchTime(null),
            () -> builder.reportBlockedAfter(null),
            () -> builder.closeTimeout(null),
            () -> builder.order(null),
            () -> builder.overflow(null),
            () -> builder.threadFactory(null),
            () -> builder.pollers(null),
            () -> builder.errorHandler(null),
            () -> builder.machine(AllowedCpus.system(), null),
            () -> builder.machine(null, Topology.system()))) {
      assertThrows(NullPointerException.class, setter);
    }
  }

  @Test
  void defaultsWork() throws InterruptedException {
    try (Mely mely = Mely.builder().build()) {
      assertEquals(StealPolicy.ALL, mely.inspect().policy());
      assertEquals(AllowedCpus.system().recommendedWorkers(), mely.inspect().cores());
      assertEquals(StealPrice.INITIAL_NANOS, mely.inspect().stealCostNanos());
      CountDownLatch ran = new CountDownLatch(1);
      mely.execute(mely.color(0), ran::countDown);
      ran.await();
    }
  }

  @Test
  void defaultThreadsAreNamedDaemons() throws InterruptedException {
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    try (Mely mely = Mely.builder().cores(2).pinned(false).build()) {
      CountDownLatch ran = new CountDownLatch(2);
      for (int core = 0; core < 2; core++) {
        mely.execute(
            mely.newPinnedColor(core),
            () -> {
              threads.add(Thread.currentThread());
              ran.countDown();
            });
      }
      ran.await();
    }
    assertTrue(threads.stream().allMatch(Thread::isDaemon));
    assertEquals(
        List.of("mely-0", "mely-1"), threads.stream().map(Thread::getName).sorted().toList());
  }

  @Test
  void threadsComeFromTheFactory() {
    List<Thread> made = new ArrayList<>();
    Mely mely =
        Mely.builder()
            .cores(3)
            .pinned(false)
            .threadFactory(
                task -> {
                  Thread thread = new Thread(task, "mine");
                  made.add(thread);
                  return thread;
                })
            .build();
    assertEquals(3, made.size());
    assertTrue(made.stream().allMatch(Thread::isAlive));
    mely.close();
    assertFalse(made.stream().anyMatch(Thread::isAlive));
  }

  @Test
  void eachCoreGetsAPollerOfItsOwnAndItIsClosedOnce() {
    List<Notes> made = new ArrayList<>();
    Poller.Factory factory =
        core -> {
          Notes poller = new Notes(core);
          made.add(poller);
          return poller;
        };
    Mely mely = Mely.builder().cores(3).pinned(false).pollers(factory).build();
    mely.close();
    assertEquals(List.of(0, 1, 2), made.stream().map(p -> p.core).toList());
    assertEquals(List.of(1, 1, 1), made.stream().map(p -> p.closed).toList());
  }

  @Test
  void machineMayBeGiven() throws IOException {
    try (Mely mely =
        Mely.builder().machine(allowed("3,5,9"), Topology.flat(16)).pinned(false).build()) {
      assertEquals(3, mely.inspect().cores());
      assertEquals(
          List.of(3, 5, 9),
          List.of(mely.inspect().cpu(0), mely.inspect().cpu(1), mely.inspect().cpu(2)));
      Exception e = assertThrows(IllegalArgumentException.class, () -> mely.inspect().cpu(3));
      assertTrue(e.getMessage().contains("no core 3"), e.getMessage());
    }
  }

  @Test
  void moreWorkersThanCpusShareThem() throws IOException {
    try (Mely mely =
        Mely.builder().cores(5).machine(allowed("2,4"), Topology.flat(16)).pinned(false).build()) {
      assertEquals(5, mely.inspect().cores());
      assertEquals(
          List.of(2, 4, 2, 4, 2),
          List.of(0, 1, 2, 3, 4).stream().map(mely.inspect()::cpu).toList());
    }
  }

  @Test
  void oneBuilderMayBuildSeveral() {
    MelyBuilder builder = Mely.builder().cores(1).pinned(false).policy(StealPolicy.BASE);
    try (Mely first = builder.build();
        Mely second = builder.policy(StealPolicy.OFF).build()) {
      assertEquals(StealPolicy.BASE, first.inspect().policy());
      assertEquals(StealPolicy.OFF, second.inspect().policy());
      assertNotEquals(first.color(0), second.color(0));
    }
  }

  private AllowedCpus allowed(String list) throws IOException {
    Path proc = Files.createDirectories(directory.resolve("proc/self"));
    Files.writeString(proc.resolve("status"), "Name:\tjava\nCpus_allowed_list:\t" + list + "\n");
    Path online = Files.createDirectories(directory.resolve("sys/devices/system/cpu"));
    Files.writeString(online.resolve("online"), "0-15\n");
    return AllowedCpus.read(directory.resolve("proc"), directory.resolve("sys"));
  }

  private static void assertMentions(String text, Executable action) {
    Exception e = assertThrows(IllegalArgumentException.class, action);
    assertTrue(e.getMessage().contains(text), e.getMessage());
  }

  private static final class Notes implements Poller {
    final int core;
    int closed;

    Notes(int core) {
      this.core = core;
    }

    @Override
    public synchronized void poll(long maxWaitNanos) throws InterruptedException {
      if (maxWaitNanos > 0) {
        wait(10);
      }
    }

    @Override
    public synchronized void wakeup() {
      notifyAll();
    }

    @Override
    public synchronized void close() {
      closed++;
    }
  }
}

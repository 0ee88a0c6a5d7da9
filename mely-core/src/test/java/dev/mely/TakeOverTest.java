package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.spi.Poller;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler that blocks its core holds up its own color, and no other (requirement B12). */
@Timeout(300)
class TakeOverTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration SOON = Duration.ofMillis(1);

  private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private Mely mely;

  @AfterEach
  void close() {
    unblock.countDown();
    mely.close();
    assertEquals(List.of(), List.copyOf(errors));
  }

  /** By the watch: nobody knows what these colors cost, so none of them is worthy. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "locality", "time-left", "penalty", "all"})
  void otherColorsOfItsCoreProceed(String policy) throws InterruptedException {
    start(2, policy, SOON, 200);
    blockCore(0);
    CountDownLatch ran = new CountDownLatch(50);
    for (int i = 0; i < 50; i++) {
      mely.execute(mely.newColor(0), ran::countDown);
    }
    ran.await();
    assertEquals(1, unblock.getCount());
  }

  /** They lie where its worker alone puts entries, and takes them out; 2,000 are more than fit. */
  @ParameterizedTest
  @CsvSource({"base,50", "locality,50", "time-left,50", "penalty,50", "all,50", "all,2000"})
  void colorsThatTheStuckHandlerHasWokenUpProceed(String policy, int count)
      throws InterruptedException {
    start(2, policy, SOON, 200);
    CountDownLatch ran = new CountDownLatch(count);
    mely.execute(
        mely.newPinnedColor(0),
        () -> {
          for (int i = 0; i < count; i++) {
            mely.execute(mely.newColor(0), ran::countDown);
          }
          block();
        });
    ran.await();
    assertEquals(1, unblock.getCount());
  }

  /** Without the watch: worthy colors are stolen at once. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "locality", "time-left", "penalty", "all"})
  void worthyColorsAreStolen(String policy) throws InterruptedException {
    start(2, policy, NEVER, 200);
    occupyCore(0);
    CountDownLatch ran = new CountDownLatch(20);
    Handler<Object> work = Handler.of(e -> ran.countDown()).cost(Duration.ofMillis(1)).penalty(1);
    for (int i = 0; i < 20; i++) {
      mely.register(mely.newColor(0), work, i);
    }
    // Without costs nobody is called for fewer than four colors, and a core keeps its last.
    long mayStay = mely.inspect().policy().usesStealingQueue() ? 0 : 3;
    Awaitility.await()
        .untilAsserted(
            () -> {
              long left = ran.getCount();
              assertTrue(left <= mayStay, left + " have not run");
              assertEquals(20 - left, mely.inspect().statistics().total().colorsStolen());
            });
    assertEquals(0, mely.inspect().statistics().total().takeovers());
  }

  @Test
  void timersOfItsCoreFire() throws InterruptedException {
    start(2, "all", SOON, 200);
    CountDownLatch fired = new CountDownLatch(3);
    Color color = mely.newColor(0);
    Handler<Object> tick = Handler.of(e -> fired.countDown());
    blockCore(0);
    mely.scheduleAtFixedRate(color, tick, "tick", Duration.ofMillis(2), Duration.ofMillis(2));
    mely.schedule(mely.newColor(0), tick, "once", Duration.ofMillis(1));
    fired.await();
  }

  /** The core that watches one stuck core watches all of them. */
  @Test
  void timersAndExternalEventsOfAllStuckCoresAreSeenTo() throws InterruptedException {
    Set<String> pollers = new ConcurrentSkipListSet<>();
    mely =
        Mely.builder()
            .cores(4)
            .pinned(false)
            .stuckAfter(SOON)
            .pollers(core -> new Waiting(core, true, pollers))
            .build();
    CountDownLatch fired = new CountDownLatch(3);
    for (int core = 0; core < 3; core++) {
      blockCore(core);
      Handler<Object> tick = Handler.of(e -> fired.countDown());
      mely.schedule(mely.newColor(core), tick, core, Duration.ofMillis(3));
    }
    fired.await();
    Awaitility.await()
        .until(
            () ->
                pollers.containsAll(
                    Set.of("core 0 by mely-3", "core 1 by mely-3", "core 2 by mely-3")));
  }

  @Test
  void externalEventsOfItsCoreAreFound() throws InterruptedException {
    Set<String> pollers = new ConcurrentSkipListSet<>();
    startWithPollers(core -> new Waiting(core, true, pollers));
    blockCore(0);
    Awaitility.await().until(() -> pollers.contains("core 0 by mely-1"));
  }

  @Test
  void pollerThatIsNotTransferableIsLeftToItsWorker() throws InterruptedException {
    Set<String> pollers = new ConcurrentSkipListSet<>();
    startWithPollers(core -> new Waiting(core, false, pollers));
    blockCore(0);
    CountDownLatch ran = new CountDownLatch(20);
    for (int i = 0; i < 20; i++) {
      mely.execute(mely.newColor(0), ran::countDown);
    }
    ran.await();
    assertFalse(pollers.contains("core 0 by mely-1"), pollers::toString);
  }

  @Test
  void itsOwnColorWaits() throws InterruptedException {
    start(3, "all", SOON, 200);
    Color color = mely.newColor(0);
    SerialCheck check = new SerialCheck(1);
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(100);
    mely.execute(
        color,
        () -> {
          check.enter(0, 0);
          started.countDown();
          block();
          check.leave();
        });
    started.await();
    CountDownLatch others = new CountDownLatch(100);
    for (int i = 0; i < 100; i++) {
      int number = i + 1;
      mely.execute(
          color,
          () -> {
            check.enter(0, number);
            check.leave();
            ran.countDown();
          });
      mely.execute(mely.newColor(0), others::countDown);
    }
    others.await();
    assertEquals(100, ran.getCount());
    unblock.countDown();
    ran.await();
    assertEquals(101, check.count());
  }

  @Test
  void pinnedColorWaitsForItsCore() throws InterruptedException {
    start(2, "all", SOON, 200);
    Color pinned = mely.newPinnedColor(0);
    ConcurrentLinkedQueue<Integer> cores = new ConcurrentLinkedQueue<>();
    blockCore(0);
    CountDownLatch ran = new CountDownLatch(10);
    CountDownLatch others = new CountDownLatch(10);
    for (int i = 0; i < 10; i++) {
      mely.execute(
          pinned,
          () -> {
            cores.add(mely.inspect().currentCore());
            ran.countDown();
          });
      mely.execute(mely.newColor(0), others::countDown);
    }
    others.await();
    assertEquals(10, ran.getCount());
    unblock.countDown();
    ran.await();
    assertEquals(Collections.nCopies(10, 0), List.copyOf(cores));
  }

  /** All cores but one are blocked. */
  @Test
  void oneFreeCoreIsEnough() throws InterruptedException {
    start(4, "all", SOON, 0);
    for (int core = 0; core < 3; core++) {
      blockCore(core);
    }
    CountDownLatch ran = new CountDownLatch(300);
    for (int i = 0; i < 300; i++) {
      mely.execute(mely.newColor(i % 4), ran::countDown);
    }
    ran.await();
  }

  /** Core 1 has been idle for long, and has something to do just when core 0 gets stuck. */
  @Test
  void coreThatGetsStuckWhileTheOthersAreBusyIsWatched() throws InterruptedException {
    start(2, "all", SOON, 0);
    for (int round = 0; round < 5; round++) {
      Thread.sleep(40); // both sleep, and the watch is over
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch free = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      mely.execute(
          mely.newColor(1),
          () -> {
            started.countDown();
            block(free);
          });
      started.await();
      CountDownLatch stuck = new CountDownLatch(1);
      mely.execute(
          mely.newColor(0),
          () -> {
            stuck.countDown();
            block(release);
          });
      stuck.await();
      free.countDown();
      Thread.sleep(10); // core 1 goes to sleep
      CountDownLatch ran = new CountDownLatch(1);
      mely.execute(mely.newColor(0), ran::countDown);
      assertTrue(
          ran.await(120, java.util.concurrent.TimeUnit.SECONDS), "nobody looks after core 0");
      release.countDown();
    }
  }

  /** The other core always has colors of its own, and still looks after the stuck one. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "time-left", "all"})
  void busyCoreRescuesThoseOfAStuckOne(String policy) throws InterruptedException {
    start(2, policy, SOON, 0);
    AtomicBoolean enough = new AtomicBoolean();
    AtomicLong own = new AtomicLong();
    for (int i = 0; i < 3; i++) {
      Color color = mely.newPinnedColor(1);
      Handler<Object> endless =
          new Handler<>() {
            @Override
            public void handle(Object event) {
              own.incrementAndGet();
              if (!enough.get()) {
                mely.register(color, this, event);
              }
            }
          };
      mely.register(color, endless, i);
    }
    blockCore(0);
    CountDownLatch ran = new CountDownLatch(60);
    for (int i = 0; i < 50; i++) {
      mely.execute(mely.newColor(0), ran::countDown);
    }
    Handler<Object> tick = Handler.of(e -> ran.countDown());
    for (int i = 0; i < 10; i++) {
      mely.schedule(mely.newColor(0), tick, i, Duration.ofMillis(2));
    }
    ran.await();
    long before = own.get();
    Awaitility.await().until(() -> own.get() > before + 100); // nor are its own held up
    enough.set(true);
    assertEquals(1, unblock.getCount(), "core 0 is still stuck");
  }

  /** All others are done before it is, and one report says who it was. */
  @Test
  void everyOtherColorProceedsAndOneReportTells() throws InterruptedException {
    ConcurrentLinkedQueue<Handler<?>> reported = new ConcurrentLinkedQueue<>();
    mely =
        Mely.builder()
            .cores(2)
            .pinned(false)
            .reportBlockedAfter(Duration.ofMillis(200))
            .errorHandler(
                new ErrorHandler() {
                  @Override
                  public void onError(Color color, Object event, Throwable error) {
                    errors.add(error);
                  }

                  @Override
                  public void onBlocked(
                      int core,
                      Color color,
                      Handler<?> handler,
                      Duration time,
                      StackTraceElement[] stack) {
                    reported.add(handler);
                  }
                })
            .build();
    CountDownLatch started = new CountDownLatch(1);
    Handler<Object> blocks =
        Handler.of(
            e -> {
              started.countDown();
              block();
            });
    mely.register(mely.newColor(0), blocks, "event");
    started.await();
    CountDownLatch ran = new CountDownLatch(400);
    Handler<Integer> hops =
        new Handler<>() {
          @Override
          public void handle(Integer left) {
            ran.countDown();
            if (left > 0) {
              mely.register(mely.newColor(left % 2), this, left - 1);
            }
          }
        };
    for (int i = 0; i < 100; i++) {
      mely.register(mely.newColor(i % 2), hops, 3);
    }
    ran.await();
    Awaitility.await().until(() -> !reported.isEmpty());
    Thread.sleep(600);
    assertEquals(1, unblock.getCount(), "it is still blocked");
    unblock.countDown();
    mely.close();
    // Another one is there only if the machine has kept its worker off its CPU for as long.
    assertEquals(1, reported.stream().filter(handler -> handler == blocks).count());
  }

  /** Nobody watches sleepers, and nobody watches the watcher. */
  @Test
  void idleRuntimeComesToRest() {
    start(4, "all", SOON, 200);
    long[] parks = {-1, -1};
    Awaitility.await()
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              parks[0] = parks[1];
              parks[1] = mely.inspect().statistics().total().parks();
              return parks[0] == parks[1];
            });
  }

  private void start(int cores, String policy, Duration stuckAfter, int spins) {
    mely =
        Mely.builder()
            .cores(cores)
            .policy(StealPolicy.parse(policy))
            .pinned(false)
            .stuckAfter(stuckAfter)
            .spins(spins)
            .errorHandler((color, event, error) -> errors.add(error))
            .build();
  }

  private void startWithPollers(Poller.Factory pollers) {
    mely = Mely.builder().cores(2).pinned(false).stuckAfter(SOON).pollers(pollers).build();
  }

  /** Waits inside a handler of that core. */
  private void blockCore(int core) throws InterruptedException {
    keep(core, this::block);
  }

  /** Without waiting: see {@link Busy}. */
  private void occupyCore(int core) throws InterruptedException {
    keep(core, () -> Busy.until(unblock));
  }

  private void keep(int core, Runnable inside) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    mely.execute(
        mely.newPinnedColor(core),
        () -> {
          started.countDown();
          inside.run();
        });
    started.await();
  }

  private void block() {
    block(unblock);
  }

  private static void block(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A poller that says who asks it. */
  private static final class Waiting implements Poller {
    private final int core;
    private final boolean transferable;
    private final Set<String> pollers;

    Waiting(int core, boolean transferable, Set<String> pollers) {
      this.core = core;
      this.transferable = transferable;
      this.pollers = pollers;
    }

    @Override
    public synchronized void poll(long maxWaitNanos) throws InterruptedException {
      pollers.add("core " + core + " by " + Thread.currentThread().getName());
      if (maxWaitNanos > 0) {
        wait(1);
      }
    }

    @Override
    public synchronized void wakeup() {
      notifyAll();
    }

    @Override
    public boolean isTransferable() {
      return transferable;
    }
  }
}

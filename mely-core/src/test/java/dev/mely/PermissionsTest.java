package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.ShutdownReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Events that ask for more than to write one color, as users see them (SPEC E1 to E4, E6). */
@Timeout(300)
class PermissionsTest {
  @RegisterExtension final TwoCores two = new TwoCores();

  private final Mely mely = two.mely;
  private final Color a = two.a;
  private final Color b = two.b;
  private final Color c = two.c;

  /** What an event does that waits for the test, and the test for it. */
  private final class Gate {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch open = new CountDownLatch(1);

    void pass() throws InterruptedException {
      entered.countDown();
      assertTrue(open.await(120, TimeUnit.SECONDS));
    }
  }

  // ---- What is asked for

  @Test
  void whatIsAskedForTwiceIsWritten() {
    Permissions both = Permissions.read(a).andWrite(a, b).andRead(b, c);
    assertTrue(both.mayWrite(a));
    assertTrue(both.mayWrite(b));
    assertTrue(both.mayRead(c));
    assertFalse(both.mayWrite(c));
    assertFalse(Permissions.none().mayRead(a));
    assertTrue(Permissions.write(a).isOneWriter());
    assertFalse(Permissions.read(a).isOneWriter());
    assertTrue(both.toString().startsWith("[write Color@"), both.toString());
  }

  @Test
  void colorsOfAnotherRuntimeAreRefused() {
    try (Mely other = Mely.builder().cores(1).pinned(false).build()) {
      Permissions foreign = Permissions.write(a).andRead(other.newColor());
      assertThrows(IllegalArgumentException.class, () -> mely.executor(foreign));
    }
  }

  @Test
  void colorsOfTwoPinsAreRefused() throws InterruptedException {
    Color first = mely.newPinnedColor(0);
    Color second = mely.newPinnedColor(1);
    Permissions both = Permissions.write(first, second);
    assertThrows(IllegalArgumentException.class, () -> mely.executor(both));
    CountDownLatch ran = new CountDownLatch(1);
    AtomicInteger core = new AtomicInteger(-1);
    mely.executor(Permissions.write(a, second))
        .execute(
            () -> {
              core.set(mely.inspect().currentCore());
              ran.countDown();
            });
    assertTrue(ran.await(120, TimeUnit.SECONDS));
    assertEquals(1, core.get());
  }

  // ---- Readers and writers

  @Test
  void readersRunInParallel() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    Handler<CyclicBarrier> meet =
        Handler.of(TwoCores::meet).cost(java.time.Duration.ofMillis(1)).penalty(1);
    for (int i = 0; i < 100; i++) {
      mely.register(Permissions.read(a), meet, both);
    }
  }

  @Test
  void oneThatComesWhileOthersReadJoinsThem() throws Exception {
    Gate first = new Gate();
    mely.executor(Permissions.read(a)).execute(unchecked(first));
    assertTrue(first.entered.await(120, TimeUnit.SECONDS));
    CountDownLatch second = new CountDownLatch(1);
    mely.executor(Permissions.read(a)).execute(second::countDown);
    assertTrue(second.await(120, TimeUnit.SECONDS), "the first still reads");
    first.open.countDown();
  }

  @Test
  void aWriterWaitsForTheReadersBeforeItAndReadersForTheWriterBeforeThem() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    Gate reader = new Gate();
    mely.executor(Permissions.read(a))
        .execute(
            () -> {
              unchecked(reader).run();
              order.add("reader");
            });
    assertTrue(reader.entered.await(120, TimeUnit.SECONDS));
    CountDownLatch over = new CountDownLatch(1);
    mely.execute(a, () -> order.add("writer"));
    mely.executor(Permissions.read(a))
        .execute(
            () -> {
              order.add("later reader");
              over.countDown();
            });
    mely.execute(b, () -> order.add("another color"));
    mely.executor(Permissions.write(b, c)).execute(reader.open::countDown);
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertEquals(List.of("another color", "reader", "writer", "later reader"), order);
  }

  @Test
  void oneWriterIsAPlainEvent() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    mely.executor(Permissions.write(a))
        .execute(
            () -> {
              assertTrue(a.isRunHere());
              ran.countDown();
            });
    assertTrue(ran.await(120, TimeUnit.SECONDS));
  }

  @Test
  void whatIsHeldIsCurrentAndWhatIsNotIsNot() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    mely.executor(Permissions.write(a).andRead(b))
        .execute(
            () -> {
              assertTrue(a.isCurrent());
              assertTrue(b.isCurrent());
              assertTrue(a.isRunBy(Thread.currentThread()));
              assertFalse(b.isRunBy(Thread.currentThread()), "it is only read");
              assertFalse(c.isCurrent());
              assertFalse(a.moveTo(1 - a.core()), "held");
              ran.countDown();
            });
    assertTrue(ran.await(120, TimeUnit.SECONDS));
    assertFalse(a.isCurrent());
    assertFalse(a.isRunBy(Thread.currentThread()));
  }

  @Test
  void anEventOfItsOwnKindIsPendingUntilItRuns() throws Exception {
    class Own extends Event {}
    Own own = new Own();
    Gate gate = new Gate();
    mely.execute(a, unchecked(gate));
    CountDownLatch ran = new CountDownLatch(2);
    Handler<Own> handler =
        Handler.of(
            e -> {
              assertSame(own, e);
              assertFalse(e.isPending());
              ran.countDown();
            });
    mely.register(Permissions.write(a, b), handler, own);
    assertTrue(own.isPending());
    assertThrows(
        IllegalStateException.class, () -> mely.register(Permissions.read(c), handler, own));
    gate.open.countDown();
    while (ran.getCount() > 1) {
      Thread.onSpinWait();
    }
    mely.register(Permissions.read(c), handler, own);
    assertTrue(ran.await(120, TimeUnit.SECONDS));
  }

  /** Asked for in all orders by many threads, the sums come out even, and nobody waits for ever. */
  @Test
  void transfersBetweenAccountsKeepTheirSum() throws Exception {
    int accounts = 5;
    int transfers = 20_000;
    Color[] colors = new Color[accounts];
    long[] balances = new long[accounts]; // plain: the permissions alone make it right
    for (int i = 0; i < accounts; i++) {
      colors[i] = mely.newColor();
    }
    CountDownLatch left = new CountDownLatch(2 * transfers);
    AtomicInteger wrong = new AtomicInteger();
    Thread[] threads = new Thread[2];
    for (int t = 0; t < 2; t++) {
      int seed = t;
      threads[t] =
          new Thread(
              () -> {
                java.util.SplittableRandom random = new java.util.SplittableRandom(seed);
                for (int i = 0; i < transfers; i++) {
                  int from = random.nextInt(accounts);
                  int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
                  if (i % 50 == 0) {
                    mely.executor(Permissions.read(colors))
                        .execute(
                            () -> {
                              long sum = 0;
                              for (long balance : balances) {
                                sum += balance;
                              }
                              wrong.addAndGet(sum == 0 ? 0 : 1);
                              left.countDown();
                            });
                  } else {
                    mely.executor(Permissions.write(colors[from], colors[to]))
                        .execute(
                            () -> {
                              balances[from]--;
                              balances[to]++;
                              left.countDown();
                            });
                  }
                }
              });
      threads[t].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertTrue(left.await(120, TimeUnit.SECONDS), left + " are left");
    assertEquals(0, wrong.get());
  }

  @Test
  void aThousandColorsAreGrantedAtOnce() throws Exception {
    Color[] many = new Color[1_000];
    for (int i = 0; i < many.length; i++) {
      many[i] = mely.newColor();
    }
    int[] plain = new int[1];
    CountDownLatch left = new CountDownLatch(many.length + 1);
    for (int i = 0; i < many.length; i++) {
      mely.execute(many[i], left::countDown);
    }
    mely.executor(Permissions.write(many))
        .execute(
            () -> {
              plain[0] = (int) left.getCount();
              left.countDown();
            });
    assertTrue(left.await(120, TimeUnit.SECONDS));
    assertEquals(1, plain[0], "all others came before");
  }

  @Test
  void boundsHoldInEachColorAndOnceInAll() {
    try (Mely bounded =
        Mely.builder().cores(1).pinned(false).maxPending(2).maxPendingPerColor(1).build()) {
      Color x = bounded.newColor();
      Color y = bounded.newColor();
      Gate gate = new Gate();
      bounded.execute(x, unchecked(gate));
      while (gate.entered.getCount() > 0) {
        Thread.onSpinWait();
      }
      bounded.executor(Permissions.write(x, y)).execute(() -> {});
      assertThrows(RejectedExecutionException.class, () -> bounded.execute(x, () -> {}));
      bounded.executor(Permissions.none()).execute(() -> {});
      assertThrows(
          RejectedExecutionException.class,
          () -> bounded.executor(Permissions.none()).execute(() -> {}));
      gate.open.countDown();
    }
  }

  // ---- Emitters

  @Test
  void theCallbacksOfOneEmissionEndBeforeThoseOfTheNextBegin() throws Exception {
    Emitter<Integer> emitter = mely.newEmitter();
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicInteger inside = new AtomicInteger();
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch left = new CountDownLatch(2 * 50);
    Handler<Integer> callback =
        Handler.of(
                (Integer n) -> {
                  inside.incrementAndGet();
                  TwoCores.meet(both); // both at once
                  seen.add(n);
                  TwoCores.meet(both);
                  inside.decrementAndGet();
                  left.countDown();
                })
            .cost(java.time.Duration.ofMillis(1))
            .penalty(1);
    emitter.on(Permissions.write(a), callback);
    emitter.on(Permissions.write(b), callback);
    for (int i = 0; i < 50; i++) {
      emitter.emit(i);
    }
    assertTrue(left.await(120, TimeUnit.SECONDS));
    for (int i = 0; i < 100; i++) {
      assertEquals(i / 2, seen.get(i));
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> {
          Emitter<Object> events = mely.newEmitter();
          events.emit(new Event() {});
        });
  }

  @Test
  void whatIsAddedOrRemovedMeanwhileCountsFromTheNextEmissionOn() throws Exception {
    Emitter<Integer> emitter = mely.newEmitter();
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch over = new CountDownLatch(1);
    Emitter.Subscription[] old = new Emitter.Subscription[1];
    old[0] =
        emitter.on(
            Permissions.write(a),
            Handler.of(
                n -> {
                  seen.add("old " + n);
                  emitter.on(Permissions.write(a), Handler.of(m -> seen.add("new " + m)));
                  old[0].cancel();
                  old[0].cancel();
                }));
    emitter.emit(1);
    emitter.emit(2);
    Emitter<Integer> last = mely.newEmitter();
    last.on(Permissions.write(a), Handler.of(n -> over.countDown()));
    while (seen.size() < 2) {
      Thread.onSpinWait();
    }
    last.emit(3);
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertEquals(List.of("old 1", "new 2"), seen);
  }

  // ---- The end

  /** However long a row of events wait for each other, and whatever forks: all are told, once. */
  @Test
  void atTheEndWhatHasNotRunIsRejected() throws Exception {
    Mely short1 = Mely.builder().cores(2).pinned(false).build();
    int n = 20_000;
    Color[] row = new Color[n + 1];
    for (int i = 0; i <= n; i++) {
      row[i] = short1.newColor();
    }
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger told = new AtomicInteger();
    class Counting extends Handler<Integer> {
      @Override
      public void handle(Integer i) {
        ran.incrementAndGet();
      }

      @Override
      protected void rejected(Integer i) {
        told.incrementAndGet();
      }
    }
    Counting counting = new Counting();
    Gate gate = new Gate();
    short1.execute(row[0], unchecked(gate));
    assertTrue(gate.entered.await(120, TimeUnit.SECONDS));
    for (int i = 0; i < n; i++) {
      Permissions both =
          i % 2 == 0
              ? Permissions.write(row[i], row[i + 1])
              : Permissions.read(row[i]).andWrite(row[i + 1]);
      short1.register(both, counting, i);
    }
    Thread opener =
        new Thread(
            () -> {
              while (short1.scheduler().phase() != Scheduler.CLOSED) {
                Thread.onSpinWait();
              }
              gate.open.countDown();
            });
    opener.start();
    ShutdownReport report = short1.shutdown(java.time.Duration.ZERO);
    opener.join();
    assertEquals(n, ran.get() + told.get());
    assertEquals(told.get(), report.eventsLeft());
    assertThrows(
        RejectedExecutionException.class,
        () -> short1.executor(Permissions.write(row[0], row[1])).execute(() -> {}));
  }

  private static Runnable unchecked(Gate gate) {
    return () -> {
      try {
        gate.pass();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    };
  }
}

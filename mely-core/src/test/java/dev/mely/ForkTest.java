package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Events that fork, as users see them (SPEC E4). */
@Timeout(300)
class ForkTest {
  @RegisterExtension final TwoCores two = new TwoCores();

  private final Mely mely = two.mely;
  private final Color a = two.a;
  private final Color b = two.b;
  private final Color c = two.c;

  @Test
  void theContinuationComesWhenAllChildrenHaveEnded() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    int[] sum = new int[3];
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    mely.executor(Permissions.write(a, b))
        .execute(
            () -> {
              mely.fork()
                  .child(Permissions.write(a), Handler.of(x -> sum[0] += (int) x), 1)
                  .child(Permissions.write(a), Handler.of(x -> sum[0] *= (int) x), 10)
                  .child(Permissions.write(b), Handler.of(x -> sum[1] += (int) x), 2)
                  .child(Permissions.none(), Handler.of(x -> sum[2] += (int) x), 3)
                  .then(
                      failures -> {
                        assertTrue(a.isCurrent());
                        assertTrue(b.isCurrent());
                        seen.add(sum[0] + " " + sum[1] + " " + sum[2] + " " + failures);
                        over.countDown();
                      });
              mely.execute(a, () -> seen.add("after"));
            });
    assertTrue(over.await(120, TimeUnit.SECONDS));
    Phaser done = new Phaser(1);
    done.register();
    mely.execute(a, done::arriveAndDeregister);
    done.awaitAdvanceInterruptibly(done.arrive(), 120, TimeUnit.SECONDS);
    assertEquals(List.of("10 2 3 []", "after"), seen);
  }

  @Test
  void aPlainEventForksOverItsColor() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    CyclicBarrier both = new CyclicBarrier(2);
    Handler<CyclicBarrier> meet =
        Handler.of(TwoCores::meet).cost(java.time.Duration.ofMillis(1)).penalty(1);
    mely.execute(
        a,
        () ->
            mely.fork()
                .child(Permissions.read(a), meet, both)
                .child(Permissions.read(a), meet, both)
                .then(failures -> over.countDown()));
    assertTrue(over.await(120, TimeUnit.SECONDS));
  }

  @Test
  void moreThanTheParentHasIsRefused() throws Exception {
    ConcurrentLinkedQueue<String> messages = new ConcurrentLinkedQueue<>();
    CountDownLatch over = new CountDownLatch(1);
    mely.executor(Permissions.read(a).andWrite(b))
        .execute(
            () -> {
              Fork fork = mely.fork();
              Handler<Object> none = Handler.of(x -> {});
              for (Permissions more : List.of(Permissions.write(a), Permissions.read(c))) {
                messages.add(
                    assertThrows(IllegalArgumentException.class, () -> fork.child(more, none, "x"))
                        .getMessage());
              }
              fork.child(Permissions.read(b).andRead(a), none, "x")
                  .then(failures -> over.countDown());
              assertThrows(IllegalStateException.class, () -> fork.then(failures -> {}));
              assertThrows(
                  IllegalStateException.class, () -> fork.child(Permissions.none(), none, "late"));
              assertThrows(IllegalStateException.class, fork::cancelOnFailure);
              assertThrows(IllegalStateException.class, () -> mely.fork().then(failures -> {}));
            });
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertTrue(messages.poll().contains("to write " + "Color@"));
    assertTrue(messages.poll().contains("to read " + "Color@"));
    assertThrows(IllegalStateException.class, mely::fork);
  }

  @Test
  void whatChildrenThrowIsCollected() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    List<Throwable> seen = Collections.synchronizedList(new ArrayList<>());
    Handler<Throwable> thrower =
        Handler.of(
            t -> {
              throw (Exception) t;
            });
    Exception first = new Exception("first");
    Exception second = new Exception("second");
    mely.execute(
        a,
        () ->
            mely.fork()
                .child(Permissions.write(a), thrower, first)
                .child(Permissions.write(a), thrower, second)
                .then(
                    failures -> {
                      seen.addAll(failures);
                      over.countDown();
                    }));
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertEquals(List.of(first, second), seen);
    assertEquals(2, two.errors.size());
    two.errors.clear();
  }

  @RepeatedTest(50) // the next child may be on another core at once
  void afterAFailureNoChildBeginsIfOneWishes() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger told = new AtomicInteger();
    class Child extends Handler<Integer> {
      @Override
      public void handle(Integer number) {
        ran.incrementAndGet();
        throw new IllegalStateException("child " + number);
      }

      @Override
      protected void rejected(Integer number) {
        told.incrementAndGet();
      }
    }
    Child child = new Child();
    mely.execute(
        a,
        () ->
            mely.fork()
                .child(Permissions.write(a), child, 1)
                .child(Permissions.write(a), child, 2)
                .child(Permissions.write(a), child, 3)
                .cancelOnFailure()
                .then(failures -> over.countDown()));
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertEquals(1, ran.get());
    assertEquals(2, told.get());
    two.errors.clear();
  }

  @Test
  void forksNestToAnyDepth() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    int[] result = new int[1];
    mely.execute(
        a,
        () -> {
          int[] sum = new int[1];
          mely.fork()
              .child(Permissions.write(a), Handler.of(n -> fib((int) n, sum)), 15)
              .then(
                  failures -> {
                    result[0] = sum[0];
                    over.countDown();
                  });
        });
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertEquals(610, result[0]);
  }

  /** Eve, Program 1. */
  private void fib(int n, int[] into) {
    if (n < 2) {
      into[0] = n;
      return;
    }
    int[] x = new int[1];
    int[] y = new int[1];
    mely.fork()
        .child(Permissions.none(), Handler.<int[]>of(o -> fib(n - 1, o)), x)
        .child(Permissions.none(), Handler.<int[]>of(o -> fib(n - 2, o)), y)
        .then(failures -> into[0] = x[0] + y[0]);
  }

  /** A family of three: its second child has forked when its first one fails. */
  @Test
  void whatHasBegunGoesOnAfterTheFailureOfASibling() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch failed = new CountDownLatch(1);
    CountDownLatch forked = new CountDownLatch(1);
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    mely.executor(Permissions.write(a, b))
        .execute(
            () ->
                mely.fork()
                    .child(
                        Permissions.write(a),
                        Handler.of(
                            x -> {
                              assertTrue(forked.await(120, TimeUnit.SECONDS));
                              throw new IllegalStateException("planted");
                            }),
                        "fails")
                    .child(
                        Permissions.write(b),
                        Handler.of(
                            x ->
                                mely.fork()
                                    .child(
                                        Permissions.write(b),
                                        Handler.of(
                                            y -> {
                                              forked.countDown();
                                              assertTrue(failed.await(120, TimeUnit.SECONDS));
                                              seen.add("grandchild");
                                            }),
                                        "y")
                                    .then(none -> seen.add("its parent goes on"))),
                        "forks")
                    .child(
                        Permissions.write(a), // behind the one that fails
                        new Handler<CountDownLatch>() {
                          @Override
                          public void handle(CountDownLatch unused) {
                            two.errors.add(new AssertionError("begun after a failure"));
                          }

                          @Override
                          protected void rejected(CountDownLatch latch) {
                            latch.countDown();
                          }
                        },
                        failed)
                    .cancelOnFailure()
                    .then(failures -> over.countDown()));
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertEquals(List.of("grandchild", "its parent goes on"), seen);
    two.errors.removeIf(error -> "planted".equals(error.getMessage()));
  }

  @Test
  void nobodyForksForAHandlerThatIsOver() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    AtomicReference<Fork> kept = new AtomicReference<>();
    List<String> messages = Collections.synchronizedList(new ArrayList<>());
    Runnable late =
        () -> {
          Fork stale = kept.get();
          messages.add(
              assertThrows(IllegalStateException.class, () -> stale.then(none -> {})).getMessage());
        };
    mely.execute(a, () -> kept.set(mely.fork()));
    mely.execute(a, late); // the next one, of the same color and on the same core
    mely.executor(Permissions.write(a, b)).execute(late);
    mely.execute(a, over::countDown);
    assertTrue(over.await(120, TimeUnit.SECONDS));
    late.run(); // no worker
    assertEquals(Collections.nCopies(3, "the handler is over"), messages);
  }

  /** What is refused has changed nothing: its events are free again, as far as they were. */
  @Test
  void aForkIsRefusedAsAWhole() throws Exception {
    class Own extends Event {}
    Own free = new Own();
    Own pending = new Own();
    CountDownLatch over = new CountDownLatch(2);
    Handler<Own> count = Handler.of(own -> over.countDown());
    mely.execute(
        a,
        () -> {
          mely.register(a, count, pending);
          Fork fork =
              mely.fork()
                  .child(Permissions.write(a), count, free)
                  .child(Permissions.write(a), count, pending);
          assertThrows(IllegalStateException.class, () -> fork.then(none -> {}));
          mely.register(a, count, free);
        });
    assertTrue(over.await(120, TimeUnit.SECONDS));
  }

  /** An event that goes by the bound of its color may fork as well: its handler is told by then. */
  @Test
  void aHandlerThatIsToldMayFork() throws Exception {
    AtomicInteger children = new AtomicInteger();
    AtomicInteger continued = new AtomicInteger();
    CountDownLatch over = new CountDownLatch(4);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    Mely bounded = Mely.builder().cores(1).pinned(false).maxPendingPerColor(2).build();
    Color color = bounded.newColor();
    Handler<Object> child = Handler.of(x -> children.incrementAndGet());
    Handler<Object> droppable =
        new Handler<>() {
          @Override
          public void handle(Object event) {
            over.countDown();
          }

          @Override
          public boolean isDroppable() {
            return true;
          }

          @Override
          protected void rejected(Object event) {
            bounded
                .fork()
                .child(Permissions.write(color), child, "child")
                .then(
                    none -> {
                      continued.incrementAndGet();
                      over.countDown();
                    });
          }
        };
    bounded.register(
        bounded.newColor(),
        Handler.<CountDownLatch>of(
            latch -> {
              entered.countDown();
              assertTrue(latch.await(120, TimeUnit.SECONDS));
            }),
        open);
    assertTrue(entered.await(120, TimeUnit.SECONDS));
    for (int i = 0; i < 4; i++) {
      bounded.register(color, droppable, i);
    }
    open.countDown();
    assertTrue(over.await(120, TimeUnit.SECONDS));
    assertEquals(2, continued.get());
    assertEquals(2, children.get());
    assertTrue(bounded.shutdown(java.time.Duration.ofSeconds(60)).drained());
  }
}

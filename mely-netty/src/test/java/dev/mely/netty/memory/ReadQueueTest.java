package dev.mely.netty.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.netty.Harness;
import dev.mely.netty.WorkerThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** D3: the queue of delayed reads, without channels. */
@Timeout(300)
class ReadQueueTest {
  /** The timer forces no read in the time of a test. */
  private static final int ENDLESS = 3_600_000;

  private final Mely mely = Mely.builder().cores(2).pinned(false).build();
  private final Slabs slabs =
      new Slabs(ByteBufAllocator.DEFAULT, ByteBufAllocator.DEFAULT, 1 << 18);
  private final WorkerThread worker = new WorkerThread();

  @AfterEach
  void end() throws Exception {
    worker.close();
    mely.close();
    assertEquals(0, slabs.cores().mapToLong(CoreMemory::liveBytes).sum());
  }

  private ReadQueue newQueue(int patience) throws Exception {
    return worker.call(
        () -> {
          ReadQueue queue = new ReadQueue(mely, mely.newColor(0), slabs.current(), 1, patience);
          slabs.current().listener(queue);
          return queue;
        });
  }

  private ByteBuf allocate() throws Exception {
    return worker.call(() -> slabs.newBuffer(100, 100));
  }

  /** Notes when it may try again. */
  private static class Waiting implements ReadQueue.Waiter {
    final CountDownLatch tried = new CountDownLatch(1);
    volatile boolean forced;
    volatile boolean over;

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void tryAgain(boolean newForced) {
      forced = newForced;
      tried.countDown();
    }

    void await() throws InterruptedException {
      assertTrue(tried.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS), "it was not called");
    }
  }

  @Test
  void aFreeOnAnotherThreadCalls() throws Exception {
    ReadQueue queue = newQueue(ENDLESS);
    ByteBuf buffer = allocate();
    assertFalse(queue.hasRoom());
    Waiting waiting = new Waiting();
    queue.add(waiting, false);
    assertEquals(1, queue.waiting());
    buffer.release(); // this thread is no worker
    waiting.await();
    assertFalse(waiting.forced);
    assertEquals(0, queue.waiting());
    assertEquals(0, queue.forcedReads());
  }

  @Test
  void theWorkersOwnFreeCalls() throws Exception {
    ReadQueue queue = newQueue(ENDLESS);
    ByteBuf buffer = allocate();
    Waiting waiting = new Waiting();
    queue.add(waiting, false);
    worker.run(buffer::release);
    waiting.await();
  }

  @Test
  void whoComesWhenThereIsRoomIsCalledAtOnce() throws Exception {
    Waiting waiting = new Waiting();
    newQueue(ENDLESS).add(waiting, false);
    waiting.await();
  }

  /** A thread frees as a channel enters the queue: no wake-up is lost. */
  @Test
  void noWakeUpIsLost() throws Exception {
    ReadQueue queue = newQueue(ENDLESS);
    TransferQueue<ByteBuf> freed = new LinkedTransferQueue<>();
    AtomicBoolean end = new AtomicBoolean();
    Thread other =
        new Thread(
            () -> {
              while (!end.get()) {
                ByteBuf buffer = freed.poll();
                if (buffer != null) {
                  buffer.release();
                } else {
                  Thread.onSpinWait();
                }
              }
            });
    other.start();
    try {
      for (int i = 0; i < 3000; i++) {
        Waiting waiting = new Waiting();
        boolean own = i % 2 == 0;
        worker.run(
            () -> {
              ByteBuf buffer = slabs.newBuffer(100, 100);
              if (own) {
                freed.add(buffer);
                queue.add(waiting, false);
              } else {
                queue.add(waiting, false);
                freed.add(buffer);
              }
            });
        waiting.await();
        while (!queue.hasRoom()) {
          Thread.onSpinWait();
        }
      }
    } finally {
      end.set(true);
      other.join();
    }
  }

  @Test
  void whereNobodyFreesTheFirstInLineReadsRegardlessInTurn() throws Exception {
    ReadQueue queue = newQueue(1);
    ByteBuf buffer = allocate();
    Queue<Integer> order = new ConcurrentLinkedQueue<>();
    List<Waiting> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int number = i;
      Waiting waiting =
          new Waiting() {
            @Override
            public void tryAgain(boolean newForced) {
              order.add(number);
              super.tryAgain(newForced);
            }
          };
      all.add(waiting);
    }
    for (Waiting waiting : all) {
      queue.add(waiting, false);
    }
    for (Waiting waiting : all) {
      waiting.await();
      assertTrue(waiting.forced);
    }
    assertEquals(List.of(0, 1, 2, 3, 4), List.copyOf(order));
    assertTrue(queue.isFavored(all.get(4)));
    assertFalse(queue.isFavored(all.get(0)));
    Harness.await().until(() -> queue.forcedReads() == 5);
    buffer.release();
    Waiting last = new Waiting();
    queue.add(last, false);
    last.await();
    assertFalse(queue.isFavored(all.get(4)), "there is room: no forced reads");
  }

  @Test
  void whoHasBeenThereComesFirst() throws Exception {
    ReadQueue queue = newQueue(ENDLESS);
    ByteBuf buffer = allocate();
    Queue<String> order = new ConcurrentLinkedQueue<>();
    List<Waiting> all = new ArrayList<>();
    for (String name : List.of("new", "back")) {
      Waiting waiting =
          new Waiting() {
            @Override
            public void tryAgain(boolean forced) {
              order.add(name);
              super.tryAgain(forced);
            }
          };
      all.add(waiting);
      queue.add(waiting, name.equals("back"));
    }
    buffer.release();
    all.get(0).await();
    all.get(1).await();
    assertEquals(List.of("back", "new"), List.copyOf(order));
  }

  @Test
  void whoIsOverIsPassedOver() throws Exception {
    ReadQueue queue = newQueue(ENDLESS);
    ByteBuf buffer = allocate();
    List<Waiting> gone = List.of(new Waiting(), new Waiting(), new Waiting());
    Waiting here = new Waiting();
    gone.forEach(waiting -> queue.add(waiting, false));
    queue.add(here, false);
    gone.forEach(waiting -> waiting.over = true);
    buffer.release();
    here.await();
    gone.forEach(waiting -> assertEquals(1, waiting.tried.getCount()));
    assertEquals(0, queue.waiting());
  }

  /** A line that somebody joins just as it is found empty. */
  private static final class JoinedLate extends ConcurrentLinkedDeque<ReadQueue.Waiter> {
    private static final long serialVersionUID = 1;

    private final transient Runnable joins;
    private final boolean seen;
    private int looks;

    /**
     * @param looks which look at the empty line it is, from 1
     * @param seen whether this look sees the one who joins, or is just over
     */
    JoinedLate(int looks, boolean seen, Runnable joins) {
      this.looks = looks;
      this.seen = seen;
      this.joins = joins;
    }

    @Override
    public boolean isEmpty() {
      boolean before = super.isEmpty();
      if (before && --looks == 0) {
        joins.run();
      }
      return seen ? super.isEmpty() : before;
    }
  }

  /**
   * The timer finds the line empty and is about to leave it alone, and somebody joins: at either of
   * its looks, before it or after it. It is not forgotten, and neither is who comes next.
   */
  @ParameterizedTest
  @CsvSource({"1, true", "1, false", "2, true", "2, false"})
  void whoComesAsTheTimerLeavesIsCalled(int look, boolean seen) throws Exception {
    ReadQueue queue = newQueue(1);
    ByteBuf buffer = allocate();
    Waiting late = new Waiting();
    replaceLine(queue, new JoinedLate(look, seen, () -> queue.add(late, false)));
    Waiting first = new Waiting();
    queue.add(first, false);
    first.await(); // then the timer finds nobody
    late.await();
    assertTrue(late.forced);
    Waiting next = new Waiting();
    queue.add(next, false);
    next.await();
    assertTrue(next.forced);
    Harness.await().until(() -> queue.forcedReads() == 3);
    buffer.release();
    Waiting last = new Waiting();
    queue.add(last, false);
    last.await();
    assertFalse(last.forced);
  }

  /** The same, where memory is freed at that moment, too. */
  @ParameterizedTest
  @CsvSource({"1, true", "1, false", "2, true", "2, false"})
  void whoComesAsTheTimerLeavesAndMemoryIsFreedIsCalled(int look, boolean seen) throws Exception {
    ReadQueue queue = newQueue(1);
    ByteBuf buffer = allocate();
    Waiting late = new Waiting();
    Runnable joins =
        () -> {
          queue.add(late, false);
          buffer.release();
        };
    replaceLine(queue, new JoinedLate(look, seen, joins));
    Waiting first = new Waiting();
    queue.add(first, false);
    first.await();
    late.await();
    assertFalse(late.forced);
  }

  private static void replaceLine(ReadQueue queue, Deque<ReadQueue.Waiter> line)
      throws ReflectiveOperationException {
    Field waiters = ReadQueue.class.getDeclaredField("waiters");
    waiters.setAccessible(true);
    waiters.set(queue, line);
  }

  /** Whatever the reason: it keeps its place, ahead of those who came later. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoCannotBeToldKeepsItsPlace(boolean refused) throws Exception {
    ReadQueue queue = newQueue(1);
    ByteBuf buffer = allocate();
    Queue<String> order = new ConcurrentLinkedQueue<>();
    AtomicInteger tries = new AtomicInteger();
    Waiting first =
        new Waiting() {
          @Override
          public void tryAgain(boolean forced) {
            if (tries.incrementAndGet() < 3) {
              if (refused) {
                throw new RejectedExecutionException("full");
              }
              throw new IllegalStateException("planned");
            }
            order.add("first");
            super.tryAgain(forced);
          }
        };
    Waiting second =
        new Waiting() {
          @Override
          public void tryAgain(boolean forced) {
            order.add("second");
            super.tryAgain(forced);
          }
        };
    queue.add(first, false);
    queue.add(second, false);
    first.await();
    second.await();
    assertEquals(List.of("first", "second"), List.copyOf(order));
    Harness.await().until(() -> queue.forcedReads() == 2);
    buffer.release();
  }

  /** A runtime without room refuses the event: the timer posts another one. */
  @Test
  void whoCannotBeToldIsToldLater() throws Exception {
    ReadQueue queue = newQueue(1);
    AtomicInteger refusals = new AtomicInteger();
    Waiting waiting =
        new Waiting() {
          @Override
          public void tryAgain(boolean forced) {
            if (refusals.incrementAndGet() < 3) {
              throw new RejectedExecutionException("full");
            }
            super.tryAgain(forced);
          }
        };
    queue.add(waiting, false);
    waiting.await();
    assertEquals(3, refusals.get());
  }

  /** A pass lets a few retry; the rest follow when there still is room. */
  @Test
  void aPassTriesAFew() throws Exception {
    ReadQueue queue = newQueue(ENDLESS);
    ByteBuf buffer = allocate();
    List<Waiting> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      all.add(new Waiting());
      queue.add(all.get(i), false);
    }
    buffer.release();
    all.get(7).await();
    Harness.await().until(mely.inspect()::isQuiescent);
    assertEquals(22, queue.waiting());
    while (queue.waiting() > 0) {
      queue.run(); // as each says that has read
    }
    all.get(29).await();
  }
}

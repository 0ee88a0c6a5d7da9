package dev.mely.netty.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.netty.Harness;
import dev.mely.netty.WorkerThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
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

/** D3: the line of those whose reads wait, without channels. */
@Timeout(300)
class ReadGateTest {
  /** Nobody is let through by the timer in the time of a test. */
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

  private ReadGate gate(int patience) throws Exception {
    return worker.call(
        () -> {
          ReadGate gate = new ReadGate(mely, mely.newColor(0), slabs.current(), 1, patience);
          slabs.current().listener(gate);
          return gate;
        });
  }

  private ByteBuf allocate() throws Exception {
    return worker.call(() -> slabs.newBuffer(100, 100));
  }

  /** Notes when it may try again. */
  private static class Waiting implements ReadGate.Waiter {
    final CountDownLatch tried = new CountDownLatch(1);
    volatile boolean regardless;
    volatile boolean over;

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void tryAgain(boolean newRegardless) {
      regardless = newRegardless;
      tried.countDown();
    }

    void await() throws InterruptedException {
      assertTrue(tried.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS), "nobody has called");
    }
  }

  @Test
  void whoeverFreesCalls() throws Exception {
    ReadGate gate = gate(ENDLESS);
    ByteBuf buffer = allocate();
    assertFalse(gate.hasRoom());
    Waiting waiting = new Waiting();
    gate.putOff(waiting, false);
    assertEquals(1, gate.waiting());
    buffer.release(); // this thread is nobody's worker
    waiting.await();
    assertFalse(waiting.regardless);
    assertEquals(0, gate.waiting());
    assertEquals(0, gate.exceptions());
  }

  @Test
  void theWorkersOwnFreeCalls() throws Exception {
    ReadGate gate = gate(ENDLESS);
    ByteBuf buffer = allocate();
    Waiting waiting = new Waiting();
    gate.putOff(waiting, false);
    worker.run(buffer::release);
    waiting.await();
  }

  @Test
  void whoComesWhenThereIsRoomIsCalledAtOnce() throws Exception {
    Waiting waiting = new Waiting();
    gate(ENDLESS).putOff(waiting, false);
    waiting.await();
  }

  /** One frees as the other comes into line: no wake-up is lost. */
  @Test
  void noWakeUpIsLost() throws Exception {
    ReadGate gate = gate(ENDLESS);
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
                gate.putOff(waiting, false);
              } else {
                gate.putOff(waiting, false);
                freed.add(buffer);
              }
            });
        waiting.await();
        while (!gate.hasRoom()) {
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
    ReadGate gate = gate(1);
    ByteBuf buffer = allocate();
    Queue<Integer> order = new ConcurrentLinkedQueue<>();
    List<Waiting> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int number = i;
      Waiting waiting =
          new Waiting() {
            @Override
            public void tryAgain(boolean newRegardless) {
              order.add(number);
              super.tryAgain(newRegardless);
            }
          };
      all.add(waiting);
    }
    for (Waiting waiting : all) {
      gate.putOff(waiting, false);
    }
    for (Waiting waiting : all) {
      waiting.await();
      assertTrue(waiting.regardless);
    }
    assertEquals(List.of(0, 1, 2, 3, 4), List.copyOf(order));
    assertTrue(gate.isFavored(all.get(4)));
    assertFalse(gate.isFavored(all.get(0)));
    Harness.await().until(() -> gate.exceptions() == 5);
    buffer.release();
    Waiting last = new Waiting();
    gate.putOff(last, false);
    last.await();
    assertFalse(gate.isFavored(all.get(4)), "there is room: nobody needs a favor");
  }

  @Test
  void whoHasBeenThereComesFirst() throws Exception {
    ReadGate gate = gate(ENDLESS);
    ByteBuf buffer = allocate();
    Queue<String> order = new ConcurrentLinkedQueue<>();
    List<Waiting> all = new ArrayList<>();
    for (String name : List.of("new", "back")) {
      Waiting waiting =
          new Waiting() {
            @Override
            public void tryAgain(boolean regardless) {
              order.add(name);
              super.tryAgain(regardless);
            }
          };
      all.add(waiting);
      gate.putOff(waiting, name.equals("back"));
    }
    buffer.release();
    all.get(0).await();
    all.get(1).await();
    assertEquals(List.of("back", "new"), List.copyOf(order));
  }

  @Test
  void whoIsOverIsPassedOver() throws Exception {
    ReadGate gate = gate(ENDLESS);
    ByteBuf buffer = allocate();
    Waiting gone = new Waiting();
    Waiting here = new Waiting();
    gate.putOff(gone, false);
    gate.putOff(here, false);
    gone.over = true;
    buffer.release();
    here.await();
    assertEquals(1, gone.tried.getCount());
  }

  /** A runtime without room refuses the event: the timer tells it again. */
  @Test
  void whoCannotBeToldIsToldLater() throws Exception {
    ReadGate gate = gate(1);
    AtomicInteger refusals = new AtomicInteger();
    Waiting waiting =
        new Waiting() {
          @Override
          public void tryAgain(boolean regardless) {
            if (refusals.incrementAndGet() < 3) {
              throw new RejectedExecutionException("full");
            }
            super.tryAgain(regardless);
          }
        };
    gate.putOff(waiting, false);
    waiting.await();
    assertEquals(3, refusals.get());
  }

  /** As many as may fit in are tried; the rest follow when there still is room. */
  @Test
  void aPassTriesAFew() throws Exception {
    ReadGate gate = gate(ENDLESS);
    ByteBuf buffer = allocate();
    List<Waiting> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      all.add(new Waiting());
      gate.putOff(all.get(i), false);
    }
    buffer.release();
    all.get(7).await();
    Harness.await().until(mely.inspect()::isQuiescent);
    assertEquals(22, gate.waiting());
    while (gate.waiting() > 0) {
      gate.run(); // as each says that has read
    }
    all.get(29).await();
  }
}

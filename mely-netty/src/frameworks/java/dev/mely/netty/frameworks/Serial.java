package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Wraps callbacks of which no two may run at a time: those of one connection, stream or context.
 * Their order shows in {@link #next}, a count that nothing but their exclusion protects.
 */
final class Serial {
  private final AtomicReference<Thread> inside = new AtomicReference<>();
  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private int next;

  /** Runs a callback; it may call another one itself. */
  void run(Runnable callback) {
    Thread self = Thread.currentThread();
    Thread other = inside.get();
    if (other == self) {
      callback.run();
      return;
    }
    if (!inside.compareAndSet(null, self)) {
      faults.add(self + " beside " + inside.get());
      callback.run();
      return;
    }
    try {
      callback.run();
    } finally {
      inside.set(null);
    }
  }

  /** A callback that carries the number of its place in the order, from 0. */
  void expectNext(int number) {
    run(
        () -> {
          if (number != next) {
            faults.add(number + " in place of " + next);
          }
          next = number + 1;
        });
  }

  void fault(String what) {
    faults.add(what);
  }

  /** Fails if callbacks overlapped or came out of order. */
  void assertFaultless() {
    assertEquals(List.of(), List.copyOf(faults));
  }

  /** The same, for so many callbacks in order. */
  void assertFaultless(int count) {
    assertFaultless();
    assertEquals(count, next, "callbacks in order");
  }
}

package dev.mely.bench.permission;

import java.util.concurrent.locks.ReentrantLock;

/** The usual solution today: locks, two of which are taken in the order of their numbers. */
final class OrderedLocks {
  private final ReentrantLock[] locks;

  OrderedLocks(int count) {
    locks = new ReentrantLock[count];
    for (int i = 0; i < count; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /** Runs a task under two locks. */
  void with(int a, int b, Runnable task) {
    ReentrantLock first = locks[Math.min(a, b)];
    ReentrantLock second = locks[Math.max(a, b)];
    first.lock();
    try {
      second.lock();
      try {
        task.run();
      } finally {
        second.unlock();
      }
    } finally {
      first.unlock();
    }
  }
}

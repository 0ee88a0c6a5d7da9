package dev.mely.bench.permission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each benchmark does what it says, once. */
@Timeout(300)
class PermissionBenchmarksTest {
  /** JMH's methods may throw. */
  private interface Invocation {
    void invoke() throws Exception;
  }

  private static void fromJdk21(Invocation invocation) throws Exception {
    if (Runtime.version().feature() >= 21) {
      invocation.invoke();
    } else {
      assertThrows(UnsupportedOperationException.class, invocation::invoke);
    }
  }

  @Test
  void transfers() throws Exception {
    TransferBenchmark transfers = new TransferBenchmark();
    transfers.accounts = 20;
    transfers.open();
    try {
      transfers.permissions();
      assertEquals(0, transfers.sum());
      transfers.orderedLocks();
      assertEquals(0, transfers.sum());
      fromJdk21(transfers::virtualThreads);
      assertEquals(0, transfers.sum());
      transfers.pekkoSaga();
    } finally {
      transfers.close();
    }
  }

  @Test
  void meals() throws Exception {
    DiningBenchmark table = new DiningBenchmark();
    table.lay();
    try {
      table.permissions();
      assertEquals(Crowd.ALL, table.meals());
      table.orderedLocks();
      assertEquals(2L * Crowd.ALL, table.meals());
      fromJdk21(
          () -> {
            table.virtualThreads();
            assertEquals(3L * Crowd.ALL, table.meals());
          });
    } finally {
      table.close();
    }
  }

  @Test
  void reads() throws Exception {
    for (int share : new int[] {0, 100}) {
      ReadersBenchmark readers = new ReadersBenchmark();
      readers.reads = share;
      readers.work = 10;
      long writes = share == 0 ? Crowd.ALL : 0;
      try {
        readers.exclusiveColor();
        assertEquals(writes, readers.value);
        readers.permissions();
        assertEquals(2 * writes, readers.value);
        readers.stampedLock();
        assertEquals(3 * writes, readers.value);
      } finally {
        readers.close();
      }
    }
  }

  @Test
  void manyColors() throws Exception {
    WideBenchmark wide = new WideBenchmark();
    wide.colors = 1_000;
    wide.make();
    try {
      wide.permissions(); // comes to its end
    } finally {
      wide.close();
    }
  }

  @Test
  void fibonacci() throws Exception {
    FibBenchmark fib = new FibBenchmark();
    fib.n = 20;
    fib.cutOff = 10;
    try {
      assertEquals(6_765, fib.finish());
      assertEquals(6_765, fib.recursiveTask());
    } finally {
      fib.close();
    }
  }
}

package dev.mely.bench.permission;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Permissions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.StampedLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.infra.Blackhole;

/** One shared value with many readers and some writers. */
public class ReadersBenchmark extends Crowd {
  /** Percentage of steps that only read. */
  @Param({"0", "90", "99", "100"})
  public int reads;

  /** Computation of a step, in JMH's tokens; 2,000 are about five microseconds. */
  @Param("2000")
  public long work;

  private final Color color = mely.newColor();
  private final StampedLock lock = new StampedLock();

  /** The shared value. */
  public long value;

  private void step(boolean read) {
    Blackhole.consumeCPU(work);
    if (!read) {
      value++;
    }
  }

  private final class Visitor extends Client {
    private final java.util.function.Consumer<Visitor> next;
    boolean read;

    Visitor(int number, CountDownLatch over, java.util.function.Consumer<Visitor> next) {
      super(number, over);
      this.next = next;
    }

    @Override
    void begin() {
      read = random(100) < reads;
      next.accept(this);
    }
  }

  private final Handler<Visitor> handler =
      Handler.of(
          visitor -> {
            step(visitor.read);
            visitor.done();
          });

  /** Each step has the color exclusively. */
  @Benchmark
  @OperationsPerInvocation(ALL)
  public void exclusiveColor() throws InterruptedException {
    run((n, over) -> new Visitor(n, over, v -> mely.register(color, handler, v)));
  }

  /** Steps that only read share the color. */
  @Benchmark
  @OperationsPerInvocation(ALL)
  public void permissions() throws InterruptedException {
    Permissions read = Permissions.read(color);
    Permissions write = Permissions.write(color);
    run((n, over) -> new Visitor(n, over, v -> mely.register(v.read ? read : write, handler, v)));
  }

  /** With a read-write lock, in a pool. */
  @Benchmark
  @OperationsPerInvocation(ALL)
  public void stampedLock() throws InterruptedException {
    run((n, over) -> new Visitor(n, over, v -> pool.execute(() -> locked(v))));
  }

  private void locked(Visitor visitor) {
    long stamp = visitor.read ? lock.readLock() : lock.writeLock();
    try {
      step(visitor.read);
    } finally {
      lock.unlock(stamp);
    }
    visitor.done();
  }
}

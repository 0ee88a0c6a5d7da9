package dev.mely.bench.permission;

import dev.mely.Handler;
import dev.mely.Permissions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/** Eve's Program 1: Fibonacci numbers by {@code finish}, and by the JDK's own fork and join. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class FibBenchmark extends Crowd {
  /** Which number. */
  @Param("27")
  public int n;

  /** Smaller numbers are computed without a fork. */
  @Param({"12", "18"})
  public int cutOff;

  private static int serial(int n) {
    return n < 2 ? n : serial(n - 1) + serial(n - 2);
  }

  /** A number to compute, and its result. */
  private static final class Call {
    final int n;
    int result;

    Call(int n) {
      this.n = n;
    }
  }

  private final Handler<Call> fib = Handler.of(this::fib);

  private void fib(Call call) {
    if (call.n <= cutOff) {
      call.result = serial(call.n);
      return;
    }
    Call a = new Call(call.n - 1);
    Call b = new Call(call.n - 2);
    mely.fork()
        .child(Permissions.none(), fib, a)
        .child(Permissions.none(), fib, b)
        .then(failures -> call.result = a.result + b.result);
  }

  /** With children and continuations. */
  @Benchmark
  public int finish() throws InterruptedException {
    Call call = new Call(n);
    CountDownLatch over = new CountDownLatch(1);
    mely.executor(Permissions.none())
        .execute(
            () ->
                mely.fork()
                    .child(Permissions.none(), fib, call)
                    .then(failures -> over.countDown()));
    over.await();
    return call.result;
  }

  /** With tasks that join. */
  @Benchmark
  public int recursiveTask() {
    return pool.invoke(new Task(n));
  }

  private final class Task extends RecursiveTask<Integer> {
    private static final long serialVersionUID = 1;
    private final int number;

    Task(int number) {
      this.number = number;
    }

    @Override
    protected Integer compute() {
      if (number <= cutOff) {
        return serial(number);
      }
      Task a = new Task(number - 1);
      a.fork();
      return new Task(number - 2).compute() + a.join();
    }
  }
}

package dev.mely.bench.permission;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/** Transfers between two accounts: an event over two colors, two locks in order, a saga. */
public class TransferBenchmark extends PairBenchmark {
  /** Number of accounts: with few, clients compete for them. */
  @Param({"20", "1000"})
  public int accounts;

  /** Computation of a transfer, in JMH's tokens; 400 are about a microsecond. */
  @Param({"0", "400"})
  public long work;

  private long[] balances = {};
  private @Nullable Bank bank;

  /** Opens the accounts. */
  @Setup(Level.Trial)
  public void open() {
    balances = new long[accounts * 8];
    make(accounts);
  }

  @Override
  public void close() {
    super.close();
    if (bank != null) {
      bank.close();
    }
  }

  /** Sum of all balances, which must not change. */
  long sum() {
    return Arrays.stream(balances).sum();
  }

  @Override
  void choose(Pair teller) {
    teller.a = teller.random(accounts);
    teller.b = (teller.a + 1 + teller.random(accounts - 1)) % accounts;
  }

  @Override
  void with(int from, int to) {
    Blackhole.consumeCPU(work);
    balances[from * 8]--;
    balances[to * 8]++;
  }

  /** With actors, and a saga per transfer, during which the money is in neither account. */
  @Benchmark
  @OperationsPerInvocation(ALL)
  public void pekkoSaga() throws InterruptedException {
    Bank actors = bank != null ? bank : new Bank(cores, accounts, work);
    bank = actors;
    run(t -> actors.withdraw(t.a, t.number, () -> actors.deposit(t.b, t.number, t::done)));
  }
}

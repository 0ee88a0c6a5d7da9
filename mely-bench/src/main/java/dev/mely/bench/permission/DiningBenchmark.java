package dev.mely.bench.permission;

import dev.mely.Permissions;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/** Dining philosophers: each shares a fork with either neighbor. */
public class DiningBenchmark extends PairBenchmark {
  /** Computation of a meal: about a microsecond. */
  private static final long MEAL = 400;

  private final Permissions[] forks = new Permissions[CLIENTS];
  private final long[] meals = new long[CLIENTS * 8];

  /** Makes the forks. */
  @Setup(Level.Trial)
  public void lay() {
    make(CLIENTS);
    Arrays.setAll(forks, seat -> write(seat, right(seat)));
  }

  private static int right(int seat) {
    return (seat + 1) % CLIENTS;
  }

  /** The number of meals eaten. */
  long meals() {
    return Arrays.stream(meals).sum();
  }

  @Override
  void choose(Pair philosopher) {
    philosopher.a = philosopher.number;
    philosopher.b = right(philosopher.number);
  }

  @Override
  Permissions permissions(Pair philosopher) {
    return forks[philosopher.number];
  }

  @Override
  void with(int seat, int other) {
    Blackhole.consumeCPU(MEAL);
    meals[seat * 8]++;
  }
}

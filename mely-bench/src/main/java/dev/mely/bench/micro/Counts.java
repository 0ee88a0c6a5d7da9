package dev.mely.bench.micro;

import dev.mely.bench.baseline.Figures;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Counters of an iteration. JMH adds the fields to its results. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Counts {
  /** Events that have run. */
  public long events;

  /** Time that passed while they ran. */
  public long nanos;

  /** Colors, or tasks, stolen. */
  public long steals;

  /** Processing time of stolen work. */
  public long stolenNanos;

  /** Cost of the steals. */
  public long stealNanos;

  /** Steals from a worker that was stuck in a handler. */
  public long takeovers;

  /** Times a worker parked. */
  public long parks;

  /** Times a worker was woken to steal. */
  public long wakeups;

  /** Times a core's lock was taken. */
  public long locks;

  /** Time spent waiting for locks. */
  public long lockNanos;

  /** Bytes allocated by the workers. */
  public long bytes;

  /** Idle colors at the measurement of memory. */
  public long idleColors;

  /** Their memory in bytes. */
  public long idleBytes;

  /** CPU time of other processes meanwhile. */
  public long othersNanos;

  void add(Figures before, Figures after) {
    steals += after.steals() - before.steals();
    stolenNanos += after.stolenNanos() - before.stolenNanos();
    stealNanos += after.stealNanos() - before.stealNanos();
    takeovers += after.takeovers() - before.takeovers();
    parks += after.parks() - before.parks();
    wakeups += after.wakeups() - before.wakeups();
    locks += after.locks() - before.locks();
    lockNanos += after.lockNanos() - before.lockNanos();
    bytes += after.bytes() - before.bytes();
  }
}

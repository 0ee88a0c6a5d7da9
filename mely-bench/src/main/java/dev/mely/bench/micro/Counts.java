package dev.mely.bench.micro;

import dev.mely.bench.baseline.Figures;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What happened in an iteration, besides time. JMH adds the fields to its results. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Counts {
  /** Events that have run. */
  public long events;

  /** Time that passed while they ran. */
  public long nanos;

  /** Colors, or tasks, stolen. */
  public long steals;

  /** Work that the steals won. */
  public long stolenNanos;

  /** What the steals cost. */
  public long stealNanos;

  /** Steals from a worker that was stuck in a handler. */
  public long takeovers;

  /** Times a worker went to sleep. */
  public long parks;

  /** Times a worker was called to steal. */
  public long wakeups;

  /** Times a core's lock was taken. */
  public long locks;

  /** Time spent in waiting for locks. */
  public long lockNanos;

  /** Bytes that the workers allocated. */
  public long bytes;

  /** Colors that were idle when memory was measured. */
  public long idleColors;

  /** What they took. */
  public long idleBytes;

  /** CPU time that other processes used meanwhile. */
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

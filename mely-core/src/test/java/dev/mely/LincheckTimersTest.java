package dev.mely;

import dev.mely.kit.Exploration;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A timer, and what timers are kept in, under Lincheck. */
@Tag("interleavings")
@Timeout(600)
class LincheckTimersTest {

  @Test
  void timerHasOneState() {
    timerEvent(OneShot.class, OneShotStates.class).check();
    timerEvent(Periodic.class, PeriodicStates.class).check();
  }

  @Test
  void timerQueueIsAHeap() {
    timerQueue(Timers.class).check();
  }

  @Test
  void eachTimerHasOneEnd() {
    timerEnds(Ends.class).check();
  }

  static Exploration timerEvent(Class<?> scenario, Class<?> states) {
    return new Exploration(scenario).against(states).drawn();
  }

  static Exploration timerQueue(Class<?> scenario) {
    return new Exploration(scenario).against(Heap.class).drawn();
  }

  static Exploration timerEnds(Class<?> scenario) {
    return new Exploration(scenario)
        .of("expire 1, expire 2", "cancel 0, cancel 1, cancel 2")
        .of("expire 1", "expire 2", "cancel 1, cancel 0")
        .of("close", "expire 2", "cancel 1")
        .of("close", "add 2, cancel 2", "expire 2");
  }

  /** A one-shot timer: any thread cancels, one runs. */
  public static class OneShot extends Life {
    public OneShot() {
      super(0);
    }
  }

  /** A periodic timer: any thread cancels, one runs. */
  public static class Periodic extends Life {
    public Periodic() {
      super(1);
    }
  }

  /** A timer's life. Its worker fires it, runs it and arms it again. */
  public abstract static class Life {
    private final TimerEvent timer;
    private boolean inside;

    Life(long period) {
      timer = new TimerEvent(LincheckQueuesTest.color(0), Handler.of(e -> {}), "tick", 0, period);
    }

    @Operation
    public boolean cancel() {
      return timer.cancel();
    }

    @Operation
    public boolean isDone() {
      return timer.isDone();
    }

    @Operation(nonParallelGroup = "worker")
    public boolean fire() {
      return timer.fire();
    }

    @Operation(nonParallelGroup = "worker")
    public boolean begin() {
      inside |= timer.payload() != null;
      return inside;
    }

    @Operation(nonParallelGroup = "worker")
    public boolean end() {
      boolean again = inside && timer.rearm(1);
      inside = false;
      return again;
    }
  }

  /** {@link OneShot} with one caller. */
  public static class OneShotStates extends States {
    public OneShotStates() {
      super(false);
    }
  }

  /** {@link Periodic} with one caller. */
  public static class PeriodicStates extends States {
    public PeriodicStates() {
      super(true);
    }
  }

  /** The states of {@link TimerEvent}, without threads. */
  public abstract static class States {
    private final boolean periodic;
    private String state = "waiting";
    private boolean inside;

    States(boolean periodic) {
      this.periodic = periodic;
    }

    public boolean cancel() {
      if (state.equals("done") || (state.equals("running") && !periodic)) {
        return false;
      }
      state = "done";
      return true;
    }

    public boolean isDone() {
      return state.equals("done");
    }

    public boolean fire() {
      return go("waiting", "registered");
    }

    public boolean begin() {
      inside |= go("registered", "running");
      return inside;
    }

    public boolean end() {
      boolean was = inside;
      inside = false;
      return was && go("running", periodic ? "waiting" : "done") && periodic;
    }

    private boolean go(String from, String to) {
      if (!state.equals(from)) {
        return false;
      }
      state = to;
      return true;
    }
  }

  /** Timers of one core: what is due comes out once, in order. */
  @Param(name = "time", gen = IntGen.class, conf = "0:4")
  public static class Timers {
    private final TimerQueue timers = new TimerQueue();

    @Operation(params = "time")
    public boolean add(int deadline) {
      return timers.add(
          new TimerEvent(LincheckQueuesTest.color(0), Handler.of(e -> {}), "tick", deadline, 0));
    }

    @Operation(params = "time")
    public String expire(int now) {
      StringBuilder due = new StringBuilder();
      for (TimerEvent timer = timers.expire(now); timer != null; timer = timer.unchain()) {
        due.append(timer.deadline()).append(' ');
      }
      return due.toString();
    }

    @Operation
    public long next() {
      return timers.nextDeadline();
    }

    @Operation
    public int close() {
      return timers.close();
    }
  }

  /** The timers of one core with one caller. */
  public static class Heap {
    private final PriorityQueue<Long> deadlines = new PriorityQueue<>();
    private boolean closed;

    public boolean add(int deadline) {
      if (closed) {
        return false;
      }
      boolean first = deadline < next();
      deadlines.add((long) deadline);
      return first;
    }

    public String expire(int now) {
      StringBuilder due = new StringBuilder();
      while (next() <= now) {
        due.append(deadlines.remove()).append(' ');
      }
      return due.toString();
    }

    public long next() {
      return deadlines.isEmpty() ? Long.MAX_VALUE : deadlines.peek();
    }

    public int close() {
      closed = true;
      int pending = deadlines.size();
      deadlines.clear();
      return pending;
    }
  }

  /** Three timers, the third not added yet; each fires, is cancelled or is dropped: one of them. */
  public static class Ends {
    private final TimerQueue queue = new TimerQueue();
    private final TimerEvent[] timers = new TimerEvent[3];
    private final int[] ends = new int[3];
    private int dropped;

    public Ends() {
      for (int i = 0; i < timers.length; i++) {
        timers[i] = new TimerEvent(LincheckQueuesTest.color(i), Handler.of(e -> {}), "tick", i, 0);
      }
      queue.add(timers[0]);
      queue.add(timers[1]);
    }

    @Operation
    public void add(int number) {
      queue.add(timers[number]);
    }

    /** What any worker does: collect, and run what is still wanted. */
    @Operation
    public void expire(int now) {
      for (TimerEvent timer = queue.expire(now); timer != null; timer = timer.unchain()) {
        if (timer.fire() && timer.payload() != null) {
          end(timer.color().core());
          timer.rearm(now);
        }
      }
    }

    @Operation
    public void cancel(int number) {
      if (timers[number].cancel()) {
        end(number);
      }
    }

    @Operation
    public void close() {
      int pending = queue.close();
      synchronized (ends) {
        dropped += pending;
      }
    }

    private void end(int number) {
      synchronized (ends) {
        ends[number]++;
      }
    }

    @Validate
    public void check() {
      expire(9);
      if (IntStream.of(ends).anyMatch(times -> times > 1)) {
        throw new AssertionError("a timer has had two ends");
      }
      for (int i = 0; i < 2; i++) {
        if (!timers[i].isDone()) {
          throw new AssertionError("a timer has been lost");
        }
      }
      if (dropped + IntStream.of(ends).sum() > timers.length) {
        throw new AssertionError("a timer was dropped and has had another end");
      }
    }
  }
}

package dev.mely;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What colors, timers and numbers are kept in, under Lincheck. */
@Timeout(600)
class LincheckQueuesTest {

  @Test
  void coreQueueIsAQueue() {
    coreQueue(Ring.class).check();
  }

  /** Unordered within an interval, so that only the number of entries is a promise. */
  @Test
  void stealingQueueHandsOutWhatItWasOffered() {
    stealingQueue(Interval.class).check();
  }

  @Test
  void discardTakesNoOtherColorAway() {
    discard(Discarding.class).check();
  }

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

  @Test
  void numberHasOneColor() {
    colorTable(Table.class).check();
  }

  static Exploration coreQueue(Class<?> scenario) {
    return new Exploration(scenario)
        .against(PlainRing.class)
        .of("offer 1, offer 2", "offer 3, empty", "poll, poll")
        .of("offer 1, poll", "poll, offer 2, empty")
        .drawn();
  }

  static Exploration stealingQueue(Class<?> scenario) {
    return new Exploration(scenario).against(Count.class).drawn();
  }

  static Exploration discard(Class<?> scenario) {
    return new Exploration(scenario)
        .of("discard 0", "poll, poll", "offer 2")
        .of("discard 0, discard 1", "poll", "poll");
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

  static Exploration colorTable(Class<?> scenario) {
    return new Exploration(scenario).against(AlwaysTheFirst.class).drawn();
  }

  /** Colors that are told apart by their core. */
  private static Color color(int number) {
    return new Color(null, number, false);
  }

  /** The core-queue, asked as a worker asks. */
  @Param(name = "color", gen = IntGen.class, conf = "0:3")
  public static class Ring {
    private final CoreQueue queue = new CoreQueue(new TurnOrder(false));

    @Operation(params = "color")
    public void offer(int number) {
      queue.offer(color(number));
    }

    /** Null means that somebody else is at it, unless the queue is empty. */
    @Operation
    public int poll() {
      while (true) {
        Color color = queue.poll();
        if (color != null) {
          return color.core();
        }
        if (queue.isEmpty()) {
          return -1;
        }
      }
    }

    @Operation
    public boolean empty() {
      return queue.isEmpty();
    }
  }

  /** The core-queue with one caller. */
  public static class PlainRing {
    private final ArrayDeque<Integer> queue = new ArrayDeque<>();

    public void offer(int number) {
      queue.add(number);
    }

    public int poll() {
      return queue.isEmpty() ? -1 : queue.remove();
    }

    public boolean empty() {
      return queue.isEmpty();
    }
  }

  /** One interval of a stealing-queue that is not full. */
  public static class Interval {
    private final StealingQueue queue = new StealingQueue(16, false);

    @Operation
    public void offer() {
      queue.offer(color(0), 1);
    }

    @Operation
    public boolean poll() {
      return queue.poll() != null;
    }

    @Operation
    public boolean empty() {
      return queue.isEmpty();
    }
  }

  /** How many entries there are. */
  public static class Count {
    private int count;

    public void offer() {
      count++;
    }

    public boolean poll() {
      return count > 0 && count-- > 0;
    }

    public boolean empty() {
      return count == 0;
    }
  }

  /** An owner that discards what it has claimed, while thieves poll: others' entries stay. */
  public static class Discarding {
    private final StealingQueue queue = new StealingQueue(8, false);
    private final Color[] colors = {color(0), color(1), color(2)};
    private final int[] seen = new int[colors.length];
    private boolean offered;

    public Discarding() {
      queue.offer(colors[0], 2);
      queue.offer(colors[1], 2);
    }

    @Operation
    public void discard(int number) {
      queue.discard(colors[number], 2);
    }

    @Operation
    public void offer(int number) {
      queue.offer(colors[number], 2);
      offered = true;
    }

    @Operation
    public void poll() {
      Color color = queue.poll();
      if (color != null) {
        synchronized (seen) {
          seen[color.core()]++;
        }
      }
    }

    @Validate
    public void check() {
      for (Color left = queue.poll(); left != null; left = queue.poll()) {
        seen[left.core()]++;
      }
      if (seen[0] > 1 || seen[1] > 1 || seen[2] > 1) {
        throw new AssertionError("an entry came twice");
      }
      if (offered && (seen[1] == 0 || seen[2] == 0)) {
        throw new AssertionError("an entry of a color that nobody discarded is gone");
      }
    }
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
      timer = new TimerEvent(color(0), Handler.of(e -> {}), "tick", 0, period);
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
      return timers.add(new TimerEvent(color(0), Handler.of(e -> {}), "tick", deadline, 0));
    }

    @Operation(params = "time")
    public String expire(int now) {
      StringBuilder due = new StringBuilder();
      for (TimerEvent timer : timers.expire(now)) {
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
        timers[i] = new TimerEvent(color(i), Handler.of(e -> {}), "tick", i, 0);
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
      for (TimerEvent timer : queue.expire(now)) {
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

  /** A number's color, named by how many were made before it. */
  @Param(name = "number", gen = IntGen.class, conf = "0:1")
  public static class Table {
    private final ColorTable table = new ColorTable();
    private final int[] made = new int[2];
    private final List<Color> all = new ArrayList<>();

    @Operation(params = "number")
    public int get(int number) {
      return table
          .get(
              number,
              n -> {
                synchronized (made) {
                  Color color = color(made[(int) n]++);
                  all.add(color); // the table alone would not keep it
                  return color;
                }
              })
          .core();
    }
  }

  /** No second color is ever made. */
  public static class AlwaysTheFirst {
    public int get(int number) {
      return 0;
    }
  }
}

package dev.mely;

import dev.mely.kit.Exploration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What colors and numbers are kept in, under Lincheck. */
@Tag("interleavings")
@Timeout(600)
class LincheckQueuesTest {

  @Test
  void coreQueueIsAQueue() {
    coreQueue(Ring.class).check();
  }

  /**
   * Unordered within an interval, so that only the number of entries is a promise; and a look may
   * miss what is there, as long as somebody is about to write an older entry.
   */
  @Test
  void stealingQueueHandsOutWhatItWasOffered() {
    stealingQueue(Interval.class).check();
  }

  @Test
  void discardTakesNoOtherColorAway() {
    discard(Discarding.class).check();
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
    return new Exploration(scenario)
        .of("offer, offer", "offer", "poll, poll")
        .of("offer, offer, offer", "poll, poll", "poll");
  }

  static Exploration discard(Class<?> scenario) {
    return new Exploration(scenario)
        .of("discard 0", "poll, poll", "offer 2")
        .of("discard 0, discard 1", "poll", "poll");
  }

  static Exploration colorTable(Class<?> scenario) {
    return new Exploration(scenario).against(AlwaysTheFirst.class).drawn();
  }

  /** Colors that are told apart by their core. */
  static Color color(int number) {
    return new Color(null, number, false);
  }

  /** The core-queue, asked as a worker asks. */
  @Param(name = "color", gen = IntGen.class, conf = "0:3")
  public static class Ring {
    private final CoreQueue queue =
        new CoreQueue(new TurnOrder(false), CoreQueue.MAX_CAPACITY, (color, why) -> {});

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

  /** One interval of a stealing-queue that is not full. At rest, it has what nobody has taken. */
  public static class Interval {
    private final StealingQueue queue = new StealingQueue(16, false);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger offered = new AtomicInteger();
    private final AtomicInteger polls = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();

    /** From then on the queue is not empty, until there were as many polls as offers. */
    @Operation
    public void offer() {
      begun.incrementAndGet();
      queue.offer(color(0), 1);
      int before = offered.incrementAndGet();
      if (queue.isEmpty() && polls.get() < before) {
        throw new AssertionError("what has been offered cannot be seen");
      }
    }

    /** Finds something that is left, if nobody offers meanwhile. */
    @Operation
    public void poll() {
      polls.incrementAndGet();
      int before = offered.get();
      if (queue.poll() != null) {
        taken.incrementAndGet();
      } else if (polls.get() <= before && begun.get() == before) {
        throw new AssertionError("an entry is missed at rest");
      }
    }

    @Validate
    public void check() {
      int left = offered.get() - taken.get();
      if (queue.size() != left || queue.isEmpty() != (left == 0)) {
        throw new AssertionError(queue.size() + " entries are left of " + left);
      }
      for (; left > 0; left--) {
        if (queue.poll() == null) {
          throw new AssertionError("an entry is gone");
        }
      }
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

  /** A number's color, named by how many others the number has been seen to have before. */
  @Param(name = "number", gen = IntGen.class, conf = "0:1")
  public static class Table {
    private final ColorTable table = new ColorTable();
    private final List<List<Color>> seen = List.of(new ArrayList<>(), new ArrayList<>());

    @Operation(params = "number")
    public int get(int number) {
      Color found = table.get((long) number, n -> color(0));
      synchronized (seen) {
        List<Color> colors = seen.get(number);
        if (!colors.contains(found)) {
          colors.add(found); // the table alone would not keep it
        }
        return colors.indexOf(found);
      }
    }
  }

  /** No number ever has a second color. */
  public static class AlwaysTheFirst {
    public int get(int number) {
      return 0;
    }
  }
}

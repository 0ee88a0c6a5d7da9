package dev.mely;

import dev.mely.kit.Exploration;
import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The color under Lincheck: its mailbox is a queue, its state one word (A1, A2, B10). */
@Tag("interleavings")
@Timeout(600)
class LincheckColorTest {

  @Test
  void mailboxIsAQueueOfManyProducers() {
    mailbox(Mailbox.class).check();
  }

  @Test
  void ownEventsOvertakeNobody() {
    ownEvents(Mailbox.class).check();
  }

  @Test
  void ownerAndThiefShareOneQueue() {
    sharedMailbox(Mailbox.class).check();
  }

  @Test
  void colorThatMovesLosesNothing() {
    moves(Mailbox.class).check();
  }

  @Test
  void exactlyOneClaimsAColor() {
    claims(Claims.class).check();
  }

  /**
   * The first event goes to the private part; the two behind it are linked, with a hole between.
   */
  static Exploration mailbox(Class<?> scenario) {
    return new Exploration(scenario)
        .against(Queue.class)
        .after("post 3")
        .of("post 1, post 2", "run 0, run 0, run 0")
        .of("post 1", "post 2", "run 0, run 0, run 0");
  }

  static Exploration ownEvents(Class<?> scenario) {
    return new Exploration(scenario)
        .against(Queue.class)
        .of("post 1, post 12, post 3", "run 0, run 0, run 0, run 0")
        .of("post 12", "post 11", "run 0, run 0, run 0");
  }

  static Exploration sharedMailbox(Class<?> scenario) {
    return new Exploration(scenario)
        .against(Queue.class)
        .of("post 1, post 2", "run 0", "run 1")
        .of("post 1, post 2, post 3", "run 0, run 0", "run 1")
        .of("post 11, run 0", "post 2, run 1", "run 2");
  }

  static Exploration moves(Class<?> scenario) {
    return new Exploration(scenario)
        .against(Queue.class)
        .of("post 1, post 2", "moveTo 1", "run 0, run 0")
        .of("moveTo 1, post 1", "post 2, moveTo 2", "run 0, run 0")
        .times(2);
  }

  static Exploration claims(Class<?> scenario) {
    return new Exploration(scenario)
        .against(OneWord.class)
        .of("claim 0 1 0, core", "claim 0 2 1, core")
        .of("claim 0 1 0, queue 2 0, claim 2 0 0", "claim 0 0 1, queue 2 1, claim 2 1 1")
        .drawn();
  }

  /**
   * A color, its producers, and the workers that find its entry. Event 10 + n registers event n.
   */
  public static class Mailbox {
    private final Color color = new Color(new MonitorHost(3, 0), 0, false);

    /** Plain: the claim publishes it, and is exclusive. */
    private boolean inside;

    @Operation
    public void post(int number) {
      register(new Numbered(number));
    }

    private void register(Event event) {
      if (color.enterIdle(event)) {
        color.queue(color.core());
        return;
      }
      Object previous = color.swap(event);
      color.link(previous, event);
      if (previous == null) {
        color.queue(color.core());
      }
    }

    /** Runs the next event at a core, as soon as there is one. */
    @Operation
    public int run(int core) {
      while (true) {
        if (color.claim(color.core(), core)) {
          Event event = color.take();
          int number = event == null ? -1 : handle(((Numbered) event).number);
          if (color.hasPending() || !color.release(core)) {
            color.queue(core);
          }
          if (event != null) {
            return number;
          }
        }
      }
    }

    @Operation
    public void moveTo(int core) {
      color.moveTo(core);
    }

    private int handle(int number) {
      if (inside) {
        throw new AssertionError("two events of one color overlap");
      }
      inside = true;
      if (number >= 10) {
        Event own = new Numbered(number - 10);
        if (!color.append(own)) {
          register(own);
        }
      }
      inside = false;
      return number;
    }
  }

  /** The mailbox with one caller. */
  public static class Queue {
    private final ArrayDeque<Integer> events = new ArrayDeque<>();

    public void post(int number) {
      events.add(number);
    }

    /** Where they run is no matter of order. */
    public void moveTo(int core) {}

    /** Minus one is what the mailbox never answers: it waits. */
    public int run(int core) {
      if (events.isEmpty()) {
        return -1;
      }
      int number = events.remove();
      if (number >= 10) {
        events.add(number - 10);
      }
      return number;
    }
  }

  private static final class Numbered extends Event {
    final int number;

    Numbered(int number) {
      this.number = number;
    }
  }

  /**
   * A worker that finds an entry of a color, stale or not, and queues the color again afterwards.
   */
  @Param(name = "core", gen = IntGen.class, conf = "0:2")
  @Param(name = "thread", gen = ThreadIdGen.class)
  public static class Claims {
    private final Color color = new Color(null, 0, false);

    /** Each thread looks at its own place. */
    private final boolean[] holds = new boolean[8];

    public Claims() {
      color.queue(0);
    }

    @Operation(params = {"core", "core", "thread"})
    public boolean claim(int from, int to, int thread) {
      boolean won = color.claim(from, to);
      holds[thread] |= won;
      return won;
    }

    @Operation(params = {"core", "thread"})
    public boolean queue(int core, int thread) {
      boolean held = holds[thread];
      if (held) {
        holds[thread] = false;
        color.queue(core);
      }
      return held;
    }

    @Operation(params = "core")
    public boolean waitsAt(int core) {
      return color.isQueuedAt(core);
    }

    @Operation
    public int core() {
      return color.core();
    }
  }

  /** Where the color is, and who holds it. */
  public static class OneWord {
    private static final int NOBODY = -1;
    private int core;
    private int holder = NOBODY;

    public boolean claim(int from, int to, int thread) {
      if (!waitsAt(from)) {
        return false;
      }
      core = to;
      holder = thread;
      return true;
    }

    public boolean queue(int newCore, int thread) {
      if (holder != thread) {
        return false;
      }
      core = newCore;
      holder = NOBODY;
      return true;
    }

    public boolean waitsAt(int asked) {
      return holder == NOBODY && core == asked;
    }

    public int core() {
      return core;
    }
  }
}

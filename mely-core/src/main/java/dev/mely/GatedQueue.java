package dev.mely;

import dev.mely.pool.Pool;
import dev.mely.pool.PoolObject;
import dev.mely.stage.Plan;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The core-queue of a core that has a pool: it hands out no color whose next event needs an object
 * of which the pool has no instance left, the paper's {@code StingyDynCheck}. Such a color stands
 * in line for that object, first come, first served.
 *
 * <pre>
 *                     next event refused                  freed, its turn: before the core-queue
 *   RUNNING(core) ------------------------> in line ------------------------------> RUNNING(core)
 *                     QUEUED(core)            |  |                                      ^
 *                                             |  +--- patience is over: runs anyway ----+
 *                                             +------ stolen, like any worthy color: RUNNING(thief)
 * </pre>
 *
 * <p>In line a color is QUEUED, as in the core-queue, and its entry is a hint, as there: thieves
 * find it in the stealing-queue, and the pool of the thief decides then. Stages that free are
 * always admitted ({@link StageNeeds}), and so are events that hold permissions, for whose colors
 * others wait. An event that would allocate while a line for that object stands goes to its end.
 *
 * <p>A core whose colors are all in line sleeps. A thread that frees an instance wakes it up if a
 * color is in line for that object: it frees, then looks at the line; the worker puts the color in
 * line, publishes that it is parked, then looks at the pool. With full fences in between, at least
 * one sees the other (Dekker pattern).
 *
 * <p>Ageing: the color that would free an object may itself be in line (one task holds A and needs
 * B, another holds B and needs A), or the plan may be wrong. So when no color of a line could go on
 * for {@link #MIN_PATIENCE} nanoseconds, its head runs all the same, and takes its memory from
 * elsewhere. That time doubles with each of these, up to {@link #MAX_PATIENCE} (back-off). After
 * {@link #TRIES} in a row the plan counts as wrong about the object, and no color waits for it
 * until an instance is back.
 *
 * <p>The lines may be read and emptied by any thread; all else belongs to the core's worker.
 * Source: Stingy Allocator (ISMM'06), section 3.2; SPEC D2, D3.
 */
final class GatedQueue extends CoreQueue {
  /** The next event may run. */
  private static final int NOTHING_MISSING = -1;

  /** Nanoseconds until the first in line runs without its object. */
  static final long MIN_PATIENCE = 10_000_000;

  /** Maximum back-off between two of these, in nanoseconds. */
  static final long MAX_PATIENCE = 80_000_000;

  /** After this many in a row, about ten seconds, the plan counts as wrong. */
  static final int TRIES = 128;

  private final Pool pool;
  private final int core;
  private final StageNeeds needs;
  private final Line[] lines;
  private final Counters counters;

  /** The color whose turn it is: its next event runs unchecked. */
  private @Nullable Color favored;

  /** The object that the color of the last {@link #mustWait} lacks. */
  private int lacking = NOTHING_MISSING;

  /** The runtime ends: no color waits any more. */
  private boolean ending;

  /**
   * @param core its number
   * @param plan how many instances there are
   * @param noRoom told of a color for which there is no memory
   * @param room called by the thread that has freed what a color is in line for
   */
  GatedQueue(
      int core,
      Settings settings,
      Plan plan,
      Counters counters,
      BiConsumer<Color, Throwable> noRoom,
      Runnable room) {
    super(new TurnOrder(settings.cheapestFirst), settings.queueCapacity, noRoom);
    Errors errors = settings.errors;
    this.core = core;
    this.pool = new Pool(PoolObject.of(plan));
    this.needs = new StageNeeds(plan, errors);
    this.counters = counters;
    lines = new Line[pool.objects().size()];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = new Line();
    }
    pool.listener(
        object -> {
          VarHandle.fullFence(); // Dekker pattern: the instance is back, then the look at the line
          if (!lines[object].colors.isEmpty()) {
            room.run();
          }
        });
  }

  @Override
  Pool pool() {
    return pool;
  }

  // ---- The core's worker

  /** The pool is the calling thread's from now on. */
  @Override
  void begin() {
    for (int object = 0; object < lines.length; object++) {
      pool.available(object);
    }
  }

  /** First a color in line that can go on, or that has waited too long. */
  @Override
  @Nullable Color take() {
    Color next = takeFromLines();
    return next != null ? next : super.take();
  }

  /** Not if the color has just had its turn in line. */
  @Override
  boolean mustWait(Color running) {
    if (running == favored) {
      favored = null;
      return false;
    }
    lacking = missing(running);
    return lacking != NOTHING_MISSING;
  }

  /** Which object a color's next event would not find; its index, or {@link #NOTHING_MISSING}. */
  private int missing(Color running) {
    Event next = running.peek();
    Handler<?> handler = next == null || next instanceof PermissionEvent ? null : next.handler();
    if (handler == null || ending) {
      return NOTHING_MISSING;
    }
    for (int object : needs.of(handler)) {
      if (!has(object) || !lines[object].colors.isEmpty()) {
        return object;
      }
    }
    return NOTHING_MISSING;
  }

  @Override
  boolean couldRun(Color waiting) {
    return missing(waiting.nextHandler()) == NOTHING_MISSING;
  }

  private int missing(@Nullable Handler<?> handler) {
    if (handler != null && !ending) {
      for (int object : needs.of(handler)) {
        if (!has(object)) {
          return object;
        }
      }
    }
    return NOTHING_MISSING;
  }

  private boolean has(int object) {
    Line line = lines[object];
    boolean any = pool.available(object) > 0;
    if (any && line.open) {
      line.open = false;
      line.tries = 0;
    }
    return any || line.open;
  }

  @Override
  void putOff(Color color) {
    try {
      lines[lacking].colors.add(color);
      counters.passedOver++;
    } catch (Throwable t) {
      noRoom.accept(color, t);
    }
  }

  private @Nullable Color takeFromLines() {
    for (int object = 0; object < lines.length; object++) {
      Color next = take(lines[object], object);
      if (next != null) {
        favored = next;
        return next;
      }
    }
    return null;
  }

  private @Nullable Color take(Line line, int object) {
    for (Color head = head(line); head != null; head = head(line)) {
      if (line.due) {
        line.runAnyway();
        counters.regardless++;
        return line.colors.poll();
      }
      int lacks = missing(head.nextHandler());
      if (lacks == NOTHING_MISSING) {
        line.moves();
        return line.colors.poll();
      }
      if (lacks == object) {
        return null;
      }
      // Another object is lacking now. Add first: memory may run out.
      lines[lacks].colors.add(head);
      line.colors.remove(head);
    }
    return null;
  }

  /** The first color in line; drops the stale entries of colors that were stolen. */
  private @Nullable Color head(Line line) {
    Color head = line.colors.peek();
    while (head != null && !head.isQueuedAt(core)) {
      line.colors.remove(head); // not just the first: another thread may be emptying the line
      head = line.colors.peek();
    }
    return head;
  }

  @Override
  boolean lineMoves() {
    VarHandle.fullFence(); // Dekker pattern: parked is published, then the look at the pool
    for (int object = 0; object < lines.length; object++) {
      Color head = head(lines[object]);
      if (head != null && (lines[object].due || missing(head.nextHandler()) != object)) {
        return true;
      }
    }
    return false;
  }

  // ---- Ageing

  @Override
  void age(long now, boolean end) {
    ending |= end;
    for (Line line : lines) {
      if (line.colors.isEmpty()) {
        line.moves();
      } else {
        line.due |= line.timeLeft(now) == 0;
      }
    }
  }

  @Override
  long patience(long now) {
    long least = Long.MAX_VALUE;
    for (Line line : lines) {
      if (!line.colors.isEmpty()) {
        least = Math.min(least, line.timeLeft(now));
      }
    }
    return least;
  }

  // ---- Any thread

  @Override
  boolean hasLine() {
    for (Line line : lines) {
      if (!line.colors.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  @Override
  int lineSize() {
    int size = 0;
    for (Line line : lines) {
      size += line.colors.size();
    }
    return size;
  }

  /** Not counting a color that is just on its way from one line to another. */
  @Override
  boolean holdsInLine() {
    for (Line line : lines) {
      for (Color color : line.colors) {
        if (color.isQueuedAt(core)) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  void drainLine(Consumer<Color> taker) {
    for (Line line : lines) {
      for (Color color = line.colors.poll(); color != null; color = line.colors.poll()) {
        taker.accept(color);
      }
    }
  }

  /** The colors that wait for one object. */
  private static final class Line {
    final ConcurrentLinkedQueue<Color> colors = new ConcurrentLinkedQueue<>();

    private long patience = MIN_PATIENCE;

    /** When the head runs without its object; valid if {@link #timed}. */
    private long deadline;

    private boolean timed;

    /** That time has come. */
    boolean due;

    /** How many have run without the object since one has found it. */
    int tries;

    /** Whether no color has to wait for this object: the plan counts as wrong. */
    boolean open;

    long timeLeft(long now) {
      if (due) {
        return 0;
      }
      if (!timed) {
        timed = true;
        deadline = now + patience;
      }
      return Math.max(0, deadline - now);
    }

    /** A color could go on, or none waits. */
    void moves() {
      patience = MIN_PATIENCE;
      timed = false;
      due = false;
      tries = 0;
    }

    /** The head runs without its object. */
    void runAnyway() {
      due = false;
      timed = false;
      patience = Math.min(2 * patience, MAX_PATIENCE);
      open |= ++tries >= TRIES;
    }
  }
}

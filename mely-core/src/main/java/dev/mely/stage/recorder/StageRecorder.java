package dev.mely.stage.recorder;

import dev.mely.stage.StageGraph;
import dev.mely.stage.Stages;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records the stages of one runtime while it runs: each core on a tape of its own, without atomic
 * operations; they are put together when the graph is asked for. Programs read the graph, and tell
 * {@link Stages} what they allocate.
 *
 * <p>What comes from a thread that runs no handler of this runtime is {@linkplain
 * StageGraph#OUTSIDE from outside}; such threads share a tape and a lock.
 *
 * <p>Thread-safe, except for {@link #begin} and {@link #end}, which belong to the core. Source: the
 * Stingy Allocator, section 4.2.1; SPEC D5.
 */
public final class StageRecorder {
  /** The tape of the core whose handler the thread runs; null: it runs none. */
  private static final ThreadLocal<@Nullable Tape> CURRENT = new ThreadLocal<>();

  /**
   * Whether any handler has ever been recorded in this process: if not, nobody asks further. Plain:
   * whose handler is recorded has written it on the same thread.
   */
  private static boolean used;

  private final Tape[] tapes;

  /** Guarded by itself. */
  private final StageTally outside = new StageTally(StageGraph.OUTSIDE, List.of());

  /** Tells whose code a stage runs, once for each stage and core. */
  @FunctionalInterface
  public interface Parts {
    /**
     * Returns the classes.
     *
     * @return in the order in which they have their turn
     */
    List<Class<?>> parts();
  }

  /**
   * Makes a recorder with empty tapes.
   *
   * @param cores how many cores the runtime has, 1 or more
   */
  public StageRecorder(int cores) {
    tapes = new Tape[cores];
    for (int i = 0; i < cores; i++) {
      tapes[i] = new Tape(this);
    }
  }

  /** An event of a stage has been registered, by what the calling thread runs. */
  public void registered(String stage) {
    StageTally running = running();
    if (running != null) {
      running.registers(stage);
      return;
    }
    synchronized (outside) {
      outside.registers(stage);
    }
  }

  private @Nullable StageTally running() {
    Tape tape = CURRENT.get();
    return tape != null && tape.recorder == this ? tape.running : null;
  }

  /**
   * A handler is about to run on the calling thread.
   *
   * @param core number of the core, from 0
   * @param stage name of its stage
   * @param parts asked if the core has not seen the stage before
   */
  public void begin(int core, String stage, Parts parts) {
    Tape tape = tapes[core];
    tape.running = tape.of(stage, parts);
    CURRENT.set(tape);
    if (!used) {
      used = true;
    }
  }

  /**
   * The handler has returned, or thrown.
   *
   * @param core number of the core, from 0
   * @param ran whether it has run at all: a cancelled timer's does not
   * @param nanos how long it took
   * @param penalty of the handler
   */
  public void end(int core, boolean ran, long nanos, int penalty) {
    CURRENT.set(null);
    Tape tape = tapes[core];
    StageTally done = tape.running;
    tape.running = null;
    if (ran && done != null) {
      done.ran(nanos, penalty);
    }
  }

  /**
   * Notes an allocation of the handler that the calling thread runs, of any runtime.
   *
   * @param object what
   * @param bytes how large it is
   * @param held how many of them the task has now; 0: unknown
   */
  public static void allocated(String object, long bytes, int held) {
    StageTally running = runningHere();
    if (running != null) {
      running.allocates(object, bytes, held);
    }
  }

  /**
   * Notes that the handler that the calling thread runs, of any runtime, has freed an object.
   *
   * @param object what
   * @param bytes how large it was
   */
  public static void freed(String object, long bytes) {
    StageTally running = runningHere();
    if (running != null) {
      running.frees(object, bytes);
    }
  }

  private static @Nullable StageTally runningHere() {
    Tape tape = used ? CURRENT.get() : null;
    return tape == null ? null : tape.running;
  }

  /**
   * Puts together what has been recorded so far.
   *
   * @return a graph; figures of different cores need not be of one instant
   */
  public StageGraph graph() {
    List<StageTally> tallies = new ArrayList<>();
    for (Tape tape : tapes) {
      tallies.addAll(tape.stages.values());
    }
    tallies.add(outside); // its maps may be read while it is written
    return new TallySum(tallies).graph();
  }
}

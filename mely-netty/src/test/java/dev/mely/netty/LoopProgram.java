package dev.mely.netty;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A small random program for two connected channels: what is done from outside their event loops,
 * and what each end does when it reads for the first, second, … time.
 *
 * @param seed which made it
 * @param halfClosure whether the ends stay open when the other end has shut down its output
 * @param kicks how many bytes each end sends when it starts
 * @param outside what another thread does, in this order
 * @param reads for each end: what it does with each read
 */
record LoopProgram(
    long seed, boolean halfClosure, int[] kicks, List<Step> outside, List<List<List<Step>>> reads) {
  private static final int MAX_DEPTH = 4;

  /** Microseconds. */
  private static final int[] DELAYS = {0, 0, 0, 0, 100, 1_000, 3_000};

  /** What a program can do, at one of its ends. */
  enum Kind {
    /** Submits a task that does the further steps. */
    TASK(12),
    /** The same, lazily. */
    LAZY_TASK(2),
    /** Submits a task to the event loop of the other end. */
    REMOTE_TASK(2),
    /** A task that ends with an exception. */
    FAILING_TASK(1),
    /** Schedules a task. */
    TIMER(6),
    /** Schedules a task, and cancels it: at once, or in another task. */
    CANCELLED_TIMER(2),
    /** Adds a task for the end of the iteration. */
    TAIL(3),
    /** Writes; the listener does the further steps. */
    WRITE(5),
    FLUSH(5),
    READ(2),
    AUTO_READ_OFF(2),
    AUTO_READ_ON(2),
    /** Fires a user event, whose callback does the further steps. */
    EVENT(4),
    /** Closes; the listener does the further steps. */
    CLOSE(1),
    SHUTDOWN_OUTPUT(1),
    /** The callback ends with an exception, which it has to be told of. */
    THROW(1);

    private final int weight;

    Kind(int weight) {
      this.weight = weight;
    }
  }

  /**
   * A step.
   *
   * @param end at which end it is done
   * @param value bytes of a write, microseconds of a delay
   * @param then what is done in the task, callback or listener
   */
  record Step(Kind kind, int end, int value, List<Step> then) {
    int size() {
      return 1 + then.stream().mapToInt(Step::size).sum();
    }

    @Override
    public String toString() {
      String number = kind == Kind.WRITE || kind.name().endsWith("TIMER") ? " " + value : "";
      return kind + number + (then.isEmpty() ? "" : then.toString());
    }
  }

  /** The program of a seed: always the same. */
  static LoopProgram random(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    List<Step> outside = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      outside.add(step(random, random.nextInt(2), 1));
    }
    List<List<List<Step>>> reads = new ArrayList<>();
    for (int end = 0; end < 2; end++) {
      List<List<Step>> ofEnd = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        ofEnd.add(steps(random, end, 1, 3));
      }
      reads.add(ofEnd);
    }
    int[] kicks = {1 + random.nextInt(3), 1 + random.nextInt(3)};
    return new LoopProgram(seed, random.nextInt(3) == 0, kicks, outside, reads);
  }

  private static List<Step> steps(Random random, int end, int depth, int most) {
    List<Step> steps = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      steps.add(step(random, end, depth));
    }
    return steps;
  }

  private static Step step(Random random, int end, int depth) {
    Kind kind = kind(random);
    int value =
        switch (kind) {
          case WRITE -> random.nextInt(3);
          case TIMER, CANCELLED_TIMER -> DELAYS[random.nextInt(DELAYS.length)];
          default -> 0;
        };
    boolean leads =
        switch (kind) {
          case TASK, LAZY_TASK, REMOTE_TASK, TIMER, TAIL, WRITE, EVENT, CLOSE -> true;
          default -> false;
        };
    int next = kind == Kind.REMOTE_TASK ? 1 - end : end;
    List<Step> then = leads && depth < MAX_DEPTH ? steps(random, next, depth + 1, 2) : List.of();
    return new Step(kind, end, value, then);
  }

  private static Kind kind(Random random) {
    int total = 0;
    for (Kind kind : Kind.values()) {
      total += kind.weight;
    }
    int drawn = random.nextInt(total);
    for (Kind kind : Kind.values()) {
      drawn -= kind.weight;
      if (drawn < 0) {
        return kind;
      }
    }
    throw new AssertionError();
  }

  /** How many steps there are. */
  int size() {
    return size(outside) + reads.stream().flatMap(List::stream).mapToInt(LoopProgram::size).sum();
  }

  private static int size(List<Step> steps) {
    return steps.stream().mapToInt(Step::size).sum();
  }

  /**
   * All programs that lack one of the steps, with what follows from it; those that lack most first.
   */
  List<LoopProgram> smaller() {
    List<LoopProgram> all = new ArrayList<>();
    for (List<Step> less : without(outside)) {
      all.add(new LoopProgram(seed, halfClosure, kicks, less, reads));
    }
    for (int end = 0; end < 2; end++) {
      for (int i = 0; i < reads.get(end).size(); i++) {
        for (List<Step> less : without(reads.get(end).get(i))) {
          List<List<List<Step>>> newReads = new ArrayList<>(reads);
          List<List<Step>> ofEnd = new ArrayList<>(reads.get(end));
          ofEnd.set(i, less);
          newReads.set(end, ofEnd);
          all.add(new LoopProgram(seed, halfClosure, kicks, outside, newReads));
        }
      }
    }
    all.sort((a, b) -> Integer.compare(a.size(), b.size()));
    return all;
  }

  private static List<List<Step>> without(List<Step> steps) {
    List<List<Step>> all = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      List<Step> less = new ArrayList<>(steps);
      Step removed = less.remove(i);
      all.add(less);
      for (List<Step> then : without(removed.then())) {
        List<Step> other = new ArrayList<>(steps);
        other.set(i, new Step(removed.kind(), removed.end(), removed.value(), then));
        all.add(other);
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return "program "
        + seed
        + (halfClosure ? ", half closure" : "")
        + "\n  end 0 sends "
        + kicks[0]
        + ", end 1 sends "
        + kicks[1]
        + "\n  from outside: "
        + outside.stream().map(step -> "end " + step.end() + ": " + step).toList()
        + "\n  reads of end 0: "
        + reads.get(0)
        + "\n  reads of end 1: "
        + reads.get(1);
  }
}

package dev.mely;

import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Handlers that overflow their stacks while they register events of other colors, at each depth
 * one, so that {@code StackOverflowError} strikes wherever it can strike inside a registration. A
 * program of its own as well, since it must be tried with code that is interpreted and that is not.
 */
final class DeepStack {
  /** What is registered at each depth. */
  enum Kind {
    EVENT,
    URGENT_EVENT,
    TIMER,
    BOUNDED_EVENT,
    COLOR_BY_NUMBER
  }

  private static final int COLORS = 32;
  private static final int STACK_BYTES = 256 << 10;

  /** How long events that have been accepted may take to run. */
  static final int PATIENCE_SECONDS = 120;

  private final Mely mely;
  private final Kind kind;
  private final int seed;
  private final Color[] colors = new Color[COLORS];

  /** By color: registrations that have returned, and events that have run. */
  private final int[] accepted = new int[COLORS];

  private final AtomicIntegerArray ran = new AtomicIntegerArray(COLORS);
  private final AtomicInteger overflows = new AtomicInteger();
  private final Handler<Integer> note = Handler.of(ran::incrementAndGet);
  private int depth;

  private DeepStack(Mely mely, Kind kind, int seed) {
    this.mely = mely;
    this.kind = kind;
    this.seed = seed;
    for (int i = 0; i < COLORS; i++) {
      colors[i] = mely.newColor(i % mely.inspect().cores());
    }
  }

  /**
   * Overflows many stacks.
   *
   * @param seconds how long events that have been accepted may take to run
   * @return what was lost, or empty
   */
  static String run(int tries, int seconds) throws InterruptedException {
    int overflows = 0;
    for (Kind kind : Kind.values()) {
      Mely mely = newMely(kind);
      String lost = "";
      for (int seed = 0; seed < tries && lost.isEmpty(); seed++) {
        DeepStack deep = new DeepStack(mely, kind, seed);
        lost = deep.play(TimeUnit.SECONDS.toNanos(seconds));
        overflows += deep.overflows.get();
      }
      ShutdownReport report = mely.shutdown(Duration.ofSeconds(lost.isEmpty() ? seconds : 1));
      if (!lost.isEmpty() || !report.drained()) {
        return kind + ": " + lost + "; " + report;
      }
    }
    return overflows >= 10 * tries ? "" : "only " + overflows + " overflows, which shows nothing";
  }

  private static Mely newMely(Kind kind) {
    MelyBuilder builder =
        Mely.builder()
            .cores(2)
            .pinned(false)
            .threadFactory(task -> new Thread(null, task, "deep", STACK_BYTES))
            .errorHandler((color, event, error) -> {});
    if (kind == Kind.BOUNDED_EVENT) {
      builder.maxPending(Integer.MAX_VALUE).maxPendingPerColor(1 << 20);
    }
    return builder.build();
  }

  private String play(long patienceNanos) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    Handler<String> sinks =
        Handler.of(
            begin -> {
              try {
                sinkNarrow(seed % 61);
              } catch (StackOverflowError deepest) {
                overflows.incrementAndGet();
              } finally {
                over.countDown();
              }
            });
    mely.register(mely.newColor(), sinks, "begin");
    over.await();
    long start = System.nanoTime();
    String left = left();
    while (!left.isEmpty() && System.nanoTime() - start < patienceNanos) {
      Thread.sleep(1);
      left = left();
    }
    return left;
  }

  private String left() {
    StringBuilder left = new StringBuilder();
    for (int i = 0; i < COLORS; i++) {
      boolean idle = colors[i].toString().contains("idle") && colors[i].pending() == 0;
      if (!idle || accepted[i] != ran.get(i)) {
        left.append(" seed ").append(seed).append(": ").append(colors[i]);
        left.append(" accepted ").append(accepted[i]).append(", ran ").append(ran.get(i));
      }
    }
    return left.toString();
  }

  /** A number of frames of another size comes first, so that the ends of the stack vary. */
  private void sinkNarrow(int frames) {
    if (frames > 0) {
      sinkNarrow(frames - 1);
    } else {
      sink(seed, seed, seed);
    }
  }

  private long sink(long a, long b, long c) {
    try {
      register();
    } catch (StackOverflowError e) {
      overflows.incrementAndGet(); // and deeper still: an error at each depth that is left
    }
    return sink(b, c, a) + 1;
  }

  private void register() {
    int i = (seed + depth++) % COLORS;
    switch (kind) {
      case URGENT_EVENT -> mely.registerUrgent(colors[i], note, i);
      case TIMER -> mely.schedule(colors[i], note, i, Duration.ofNanos(depth % 7));
      case COLOR_BY_NUMBER -> mely.register(mely.color(seed * 100_000L + depth), note, i);
      default -> mely.register(colors[i], note, i);
    }
    accepted[i]++;
  }

  /** Argument: the number of tries. Prints what was lost, if anything. */
  public static void main(String[] arguments) throws InterruptedException {
    String lost = run(Integer.parseInt(arguments[0]), PATIENCE_SECONDS);
    System.out.println(lost.isEmpty() ? "held" : "lost: " + lost);
  }
}

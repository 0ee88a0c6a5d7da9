package dev.mely;

import dev.mely.kit.Fault;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the runtime's users, in each of which memory runs out once, at each place that it comes
 * to: in the call, or while a worker runs what has been registered. Loaded by a {@code
 * FaultLoader}.
 */
final class StarvedCalls {
  private static final int BOUND = 4;

  /** Or the loader has forgotten some. */
  private static final int LEAST_PLACES = 50;

  private static final Duration SOON = Duration.ofNanos(1_000);

  /** How an event comes to one color or more. */
  private enum Way {
    COLOR(calls -> calls.mely.register(calls.a, calls.note, calls.event)),
    TEXT(calls -> calls.mely.register(calls.a, calls.note, "not an Event")),
    URGENT(calls -> calls.mely.registerUrgent(calls.a, calls.note, calls.event)),
    TRY(calls -> calls.mely.tryRegister(calls.a, calls.note, calls.event)),
    SUBMIT(calls -> calls.result = calls.mely.submit(calls.a, calls.note, calls.event)),
    SUBMIT_TASK(calls -> calls.result = calls.mely.submit(calls.a, () -> ++calls.ran)),
    EXECUTE(calls -> calls.mely.execute(calls.a, calls::noteTask)),
    EXECUTE_SOMEWHERE(calls -> calls.mely.executor().execute(calls::noteTask)),
    EXECUTE_FOR_BOTH(
        calls -> calls.mely.executor(Permissions.write(calls.a, calls.b)).execute(calls::noteTask)),
    WRITERS(
        calls -> calls.mely.register(Permissions.write(calls.b, calls.a), calls.note, calls.event)),
    READER(calls -> calls.mely.register(Permissions.read(calls.a), calls.note, calls.event)),
    NOTHING(calls -> calls.mely.register(Permissions.none(), calls.note, calls.event)),
    TIMER(calls -> calls.mely.schedule(calls.a, calls.note, calls.event, SOON)),
    TIMER_FOR_BOTH(
        calls ->
            calls.mely.schedule(
                Permissions.write(calls.b).andRead(calls.a), calls.note, calls.event, SOON)),
    CHILD(
        calls ->
            calls
                .mely
                .fork()
                .child(Permissions.write(calls.b), calls.note, calls.event)
                .then(failures -> {})),
    CONTINUATION(
        calls ->
            calls
                .mely
                .fork()
                .child(Permissions.none(), Handler.of(e -> {}), "child")
                .then(failures -> calls.noteTask())),
    EMISSION(calls -> calls.emitter.emit("news")),
    ROOM(
        calls -> {
          CompletableFuture<Void> room = calls.mely.whenRoom(calls.a);
          Fault.setAtWork(false);
          calls.result = room.thenRun(calls::noteTask);
        });

    final Call call;

    Way(Call call) {
      this.call = call;
    }

    /** Whether the call is one of a handler. */
    boolean isFork() {
      return this == CHILD || this == CONTINUATION;
    }

    /** Whether the error handler alone is told of one that will not run. */
    boolean mayFail() {
      return EnumSet.of(EMISSION, CONTINUATION, EXECUTE, EXECUTE_SOMEWHERE, EXECUTE_FOR_BOTH)
          .contains(this);
    }
  }

  private interface Call {
    void make(StarvedCalls calls);
  }

  /** When memory runs out. */
  private enum Part {
    /** In the call. */
    CALL,

    /** Afterwards, while a worker runs what the call has registered. */
    RUN
  }

  private static final class Own extends Event {}

  private final class Note extends Handler<Object> {
    Note() {
      super(Work.MEASURED);
    }

    @Override
    public void handle(Object what) {
      ran++;
    }

    @Override
    protected void rejected(Object what) {
      rejected++;
    }
  }

  private final Way way;
  private final Part part;
  private final StillMely still;
  private final Mely mely;
  private final Color a;
  private final Color b;
  private final Emitter<String> emitter;
  private final Own event = new Own();
  private final Note note = new Note();
  private @Nullable CompletableFuture<?> result;
  private boolean failed;
  private int ran;
  private int rejected;

  private StarvedCalls(Way way, Part part) {
    this.way = way;
    this.part = part;
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 1;
    settings.maxPendingPerColor = BOUND;
    this.still = new StillMely(settings);
    this.mely = still.mely;
    this.a = mely.newColor();
    this.b = mely.newColor();
    this.emitter = mely.newEmitter();
    emitter.on(Permissions.read(a), note);
  }

  /**
   * Lets memory run out in each call and behind it, at one place after the other.
   *
   * @return empty if all was as it should be, else what was not
   */
  static String run() {
    StringBuilder wrong = new StringBuilder();
    int places = 0;
    for (Way way : Way.values()) {
      for (Part part : Part.values()) {
        int n = 1;
        for (boolean struck = true; struck; n++) {
          Fault.setAtWork(false); // what is wrong may have ended the last one at any point
          Fault.planNext(n);
          String what = new StarvedCalls(way, part).play();
          struck = Fault.hasStruck();
          if (!what.isEmpty()) {
            wrong.append(way + ", " + part + ", place " + n + ": " + what + "\n");
          }
        }
        places += n - 2;
      }
    }
    return places < LEAST_PLACES ? "no more than " + places + " places" : wrong.toString();
  }

  private String play() {
    for (int i = 0; i < BOUND && way == Way.ROOM; i++) {
      mely.execute(a, () -> {});
    }
    call();
    if (failed) {
      String left = event.isPending() ? "the event is pending" : left();
      if (!left.isEmpty()) {
        return "it failed, and " + left;
      }
      call();
    }
    runAll();
    Fault.setAtWork(false);
    if (result != null && result.isCompletedExceptionally() && ran == 0) {
      rejected = 1;
    }
    boolean reported = !still.errors.isEmpty();
    if (ran + rejected != 1 && !(reported && way.mayFail())) {
      return ran + " ran, " + rejected + " were rejected; errors: " + still.errors;
    }
    if (result != null && !result.isDone()) {
      return "its result never comes";
    }
    return event.isPending() ? "the event is pending" : left();
  }

  /** A fork is a call of a handler. */
  private void call() {
    if (way.isFork()) {
      mely.execute(b, this::attempt);
      runAll();
    } else {
      attempt();
    }
  }

  private void attempt() {
    failed = false;
    Fault.setAtWork(part == Part.CALL);
    try {
      way.call.make(this);
    } catch (OutOfMemoryError e) {
      failed = true;
    } finally {
      Fault.setAtWork(part == Part.RUN);
    }
  }

  private void noteTask() {
    ran++;
  }

  private void runAll() {
    for (int round = 0; round < 3; round++) {
      for (int state = WorkerState.PICK; state != WorkerState.PARK; ) {
        try {
          state = still.step(0);
        } catch (OutOfMemoryError e) {
          still.fail(0);
        }
      }
      still.host.advance(SOON.toNanos());
    }
  }

  /** What is left behind; empty: nothing. */
  private String left() {
    runAll();
    if (failed && ran + rejected > 0) {
      return "ran";
    }
    for (Color color : List.of(a, b)) {
      if (color.pendingCount() != 0 || ((BoundedColor) color).load() != 0) {
        return "a count is left in " + color;
      }
    }
    if (Objects.requireNonNull(still.scheduler.overload).waiting() != 0) {
      return "a producer waits for room";
    }
    if (still.core(0).timers.size() != 0) {
      return "a timer waits";
    }
    int before = ran;
    mely.register(Permissions.write(a, b), Handler.of(e -> ran++), "another");
    runAll();
    boolean free = ran == before + 1;
    ran = before;
    return free ? "" : "a color is locked: " + a + ", " + b;
  }
}

package dev.mely;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that the seeded driver would notice: each bug planted into the real classes must violate an
 * invariant in one of the first schedules.
 */
class ScheduleMutantTest {
  private static final int SCHEDULES = 50_000;

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "overlap: a stale entry claims a running color",
            "Color.java",
            "return (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)",
            "return (s & STATE_MASK) != IDLE && s >>> CORE_SHIFT == from"),
        new Mutant(
            "lost event: a hole in the mailbox is taken for its end",
            "Color.java",
            "return null; // a hole: the next producer would still write to this event's link",
            "{ head = null; last = null; return event; }"),
        new Mutant(
            "lost wake-up: a worker parks without looking again",
            "Idler.java",
            "boolean work = !core.queue.isEmpty() || scheduler.phase() == Scheduler.CLOSED;",
            "boolean work = scheduler.phase() == Scheduler.CLOSED;"),
        new Mutant(
            "lost wake-up: a thief puts a color back and wakes nobody",
            "Thief.java",
            "    scheduler.idle.wakeHome(victim);\n",
            ""),
        new Mutant(
            "lost wake-up: a worker parks beside an urgent color",
            "CoreQueue.java",
            """
                for (Lane lane : lanes) {
                  if (!lane.isEmpty()) {
                    return false;
                  }
                }
                return true;
            """,
            "    return lanes.length > 2 ? size() == 0 : rotation.isEmpty();\n"),
        new Mutant(
            "a worker that was called to steal forgets that it searches: nobody is called any more",
            "Idler.java",
            """
                if (scheduler.idle.retractParked(core)) {
                  counters.wakeups++;
                  searching = true;
            """,
            """
                if (scheduler.idle.retractParked(core)) {
                  counters.wakeups++;
            """),
        new Mutant(
            "starvation: the cheapest lane always goes first",
            "TurnOrder.java",
            "passed[lane] >= PATIENCE * charges[lane]",
            "passed[lane] < 0"),
        new Mutant(
            "a cancelled timer runs",
            "TimerEvent.java",
            "return STATE.compareAndSet(this, REGISTERED, RUNNING) ? event : null;",
            "STATE.compareAndSet(this, REGISTERED, RUNNING); return event;"),
        new Mutant(
            "room is left behind: an event refused by one bound keeps its room under the other",
            "Overload.java",
            """
                      if (maxPerColor > 0) {
                        bounded(color).remove();
                      }
                      return false;
            """
                .indent(-2),
            "        return false;\n"),
        new Mutant(
            "not quiet: one look at each core is fooled by events that hop",
            "Quiet.java",
            "at = (at + 1) % (2 * n);",
            "at = (at + 1) % n;"),
        new Mutant(
            "order: a steal moves the oldest event behind the others",
            "Color.java",
            """
                return (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)
                    && STATE.compareAndSet(this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);
            """,
            """
                boolean won = (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)
                    && STATE.compareAndSet(this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);
                if (won && from != to && head != null && last != null && head.next != null) {
                  Event oldest = head;
                  head = oldest.next;
                  oldest.next = null;
                  last.next = oldest;
                  last = oldest;
                }
                return won;
            """),
        new Mutant(
            "order: a handler's own event overtakes those of other producers",
            "Color.java",
            "    if (TAIL.getAcquire(this) != this) {\n      return false;\n    }\n",
            ""),
        new Mutant(
            "lost event: a registration that races the end is not looked after",
            "Scheduler.java",
            "    if (phase == CLOSED) {\n      rejection.reject(color);",
            "    if (phase == DRAINING) {\n      rejection.reject(color);"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, @TempDir Path scratch) throws Exception {
    Method run = mutant.load("Schedule", scratch).getDeclaredMethod("run", long.class);
    run.setAccessible(true);
    for (long seed = 1; seed <= SCHEDULES; seed++) {
      String violation = (String) run.invoke(null, seed);
      if (!violation.isEmpty()) {
        System.out.println("caught at seed " + seed + ": " + mutant + " (" + violation + ")");
        assertTrue(Schedule.run(seed).isEmpty(), "the same schedule must hold without the bug");
        return;
      }
    }
    fail("not caught in " + SCHEDULES + " schedules: " + mutant);
  }
}

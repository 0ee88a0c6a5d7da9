package dev.mely;

import dev.mely.kit.Mutant;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that the seeded driver would notice: each bug planted into the real classes must violate an
 * invariant in one of the first schedules.
 */
@Tag("mutant")
class ScheduleMutantTest {
  private static final Seeds SEEDS = new Seeds(1, 1, 50_000);

  @BeforeAll
  static void hush() {
    Seeds.hush();
  }

  @AfterAll
  static void speak() {
    Seeds.speak();
  }

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "overlap: a stale entry claims a running color",
            "Color.java",
            "return (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)",
            "return (s & STATE_MASK) != IDLE && s >>> CORE_SHIFT == from"),
        new Mutant(
            "lost event: a hole in the mailbox is taken for its end",
            "Mailbox.java",
            "return null; // a hole: the next producer would still write to this event's link",
            "{ head = null; last = null; return event; }"),
        new Mutant(
            "lost wake-up: a worker parks without looking again",
            "Idler.java",
            "boolean work = !core.queue.isEmpty() || scheduler.phase() == Scheduler.CLOSED;",
            "boolean work = scheduler.phase() == Scheduler.CLOSED;"),
        new Mutant(
            "lost wake-up: a thief puts a color back and wakes nobody",
            "StealSearch.java",
            "      context.idle().wakeHome(victim);\n",
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
                return own.isEmpty();
            """,
            "    return lanes.length > 2 ? size() == 0 : rotation.isEmpty() && own.isEmpty();\n"),
        new Mutant(
            "lost color: the first that follows another into the worker's own lane",
            "CoreQueue.java",
            "      for (int n = Math.min(GATHER, own.room()); n > 0; n--) {",
            "      rotation.relaxedPoll();\n"
                + "      for (int n = Math.min(GATHER, own.room()); n > 0; n--) {"),
        new Mutant(
            "a worker takes its own lane for all that waits at its core",
            "CoreQueue.java",
            "return color != null || rotation.isEmpty() ? color : gather();",
            "return color;"),
        new Mutant(
            "overlap: the place of the color that runs is that of the oldest entry",
            "OwnLane.java",
            "return (Color) ENTRY.getAcquire(ring, ((int) HEAD.getOpaque(this) - 1) & (ring.length - 1));",
            "return (Color) ENTRY.getAcquire(ring, (int) HEAD.getOpaque(this) & (ring.length - 1));"),
        new Mutant(
            "a worker that was called to steal forgets that it searches: nobody is called any more",
            "Idler.java",
            """
                if (idle.retractParked(core)) {
                  counters.wakeups++;
                  searching = true;
            """,
            """
                if (idle.retractParked(core)) {
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
            "          rooms[taken].giveBack();\n",
            ""),
        new Mutant(
            "not quiet: one look at each core is fooled by events that hop",
            "Quiescence.java",
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
            "Mailbox.java",
            "    if (TAIL.getAcquire(this) != this) {\n      return false;\n    }\n",
            ""),
        new Mutant(
            "a worker forgets the color that it holds when memory runs out",
            "Worker.java",
            "    state = batch.color() != null ? WorkerState.FINISH : WorkerState.PICK;\n",
            "    batch.letGo();\n    state = WorkerState.PICK;\n"),
        new Mutant(
            "a worker runs, and is taken for parked, after memory has run out",
            "Idler.java",
            "    if (published) {\n      unpark();\n    }\n",
            ""),
        new Mutant(
            "a wake-up that fails is not tried again",
            "Core.java",
            "        return;\n      } catch (Throwable t) {\n        errors.report(null, poller, t);\n",
            "        return;\n      } catch (Throwable t) {\n        i = WAKE_TRIES;\n"),
        new Mutant(
            "lost event: what is pending in paused colors is not rejected at the end",
            "Scheduler.java",
            "    pauses.sweep();\n",
            ""),
        new Mutant(
            "a worker goes on with a color that was paused in the middle of a batch",
            "Worker.java",
            "core.queue.mustWait(running) || pauses.isPaused(running)",
            "core.queue.mustWait(running) || (batch.isEmpty() && pauses.isPaused(running))"),
        new Mutant(
            "lost event: a registration that races the end is not looked after",
            "Scheduler.java",
            "    if (phase == CLOSED) {\n      rejection.reject(color);",
            "    if (phase == DRAINING) {\n      rejection.reject(color);"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, @TempDir Path scratch) throws Exception {
    SEEDS.mustCatch(mutant, scratch);
  }
}

package dev.mely;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that the Lincheck scenarios would notice: each finds the bug planted for it, in a fraction
 * of the interleavings that it explores where there is none.
 */
@Timeout(600)
class LincheckMutantTest {

  static Stream<Arguments> mutants() {
    return Stream.of(
        mutant(
            "two claim one color: the state is read, then written",
            "Color.java",
            "        && STATE.compareAndSet(this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);",
            """
                    && write((to << CORE_SHIFT) | (s & PINNED) | RUNNING);
              }

              private boolean write(int s) {
                STATE.setVolatile(this, s);
                return true;
            """,
            "LincheckColorTest$Claims",
            LincheckColorTest::claims),
        mutant(
            "a hole in the mailbox is taken for its end",
            "Mailbox.java",
            "return null; // a hole: the next producer would still write to this event's link",
            "{ head = null; last = null; return event; }",
            "LincheckColorTest$Mailbox",
            LincheckColorTest::mailbox),
        mutant(
            "a handler's own event overtakes those of other producers",
            "Mailbox.java",
            "    if (TAIL.getAcquire(this) != this) {\n      return false;\n    }\n",
            "",
            "LincheckColorTest$Mailbox",
            LincheckColorTest::ownEvents),
        mutant(
            "a color moves although it has just been queued",
            "Color.java",
            "return STATE.compareAndSet(this, s, (core << CORE_SHIFT) | IDLE);",
            "STATE.setVolatile(this, (core << CORE_SHIFT) | IDLE);\n    return true;",
            "LincheckColorTest$Mailbox",
            LincheckColorTest::moves),
        mutant(
            "the owner discards whatever is oldest",
            "StealingQueue.java",
            "queue.relaxedOffer(oldest); // a thief was faster; put the innocent one back",
            "return;",
            "LincheckQueuesTest$Discarding",
            LincheckQueuesTest::discard),
        mutant(
            "a cancelled timer fires",
            "TimerEvent.java",
            "return STATE.compareAndSet(this, WAITING, REGISTERED);",
            "if ((int) STATE.getVolatile(this) != WAITING) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, REGISTERED);\n    return true;",
            "LincheckTimersTest$Ends",
            LincheckTimersTest::timerEnds),
        mutant(
            "two colors of one number",
            "ColorTable.java",
            "          if (color != null) {\n            found[0] = color;\n            return old;\n",
            "          if (color != null && size() < 0) {\n            return old;\n",
            "LincheckQueuesTest$Table",
            LincheckQueuesTest::colorTable),
        mutant(
            "lost wake-up: the producer looks who sleeps, then queues the color",
            "Scheduler.java",
            "      place(color, home);\n    }\n    announce(color, home, weight);\n",
            "      announce(color, home, weight);\n      place(color, home);\n    }\n",
            "LincheckRuntimeTest$OneCore",
            LincheckRuntimeTest::sleepAndWake),
        mutant(
            "lost wake-up: a thief puts a color back and wakes nobody",
            "Thief.java",
            "    scheduler.idle.wakeHome(victim);\n",
            "",
            "LincheckRuntimeTest$Base",
            LincheckRuntimeTest::putBack),
        mutant(
            "the count of sleepers sinks twice for one that is woken and called",
            "IdleCores.java",
            "    if (core.parked.compareAndSet(Core.PARKED, Core.AWAKE)) {\n      idle.getAndAdd(-1);",
            "    if (core.parked.getVolatile() == Core.PARKED) {\n"
                + "      core.parked.setVolatile(Core.AWAKE);\n      idle.getAndAdd(-1);",
            "LincheckRuntimeTest$Counts",
            LincheckRuntimeTest::counts),
        mutant(
            "a registration that races the end is not looked after",
            "Scheduler.java",
            "    if (phase == CLOSED) {\n      rejection.reject(color);",
            "    if (phase == DRAINING) {\n      rejection.reject(color);",
            "LincheckRuntimeTest$Closing",
            LincheckRuntimeTest::close),
        mutant(
            "who makes room looks for producers that wait, then makes it",
            "Overload.java",
            """
                if (maxPerColor > 0 && (any || ((SpecialEvent) event).takesRoom())) {
                  bounded(color).remove();
                }
                if (maxInAll > 0 && (any || ((SpecialEvent) event).takesRoomInAll())) {
                  pending.decrementAndGet();
                }
                if (waiting > 0) {
            """,
            """
                boolean somebody = waiting > 0;
                if (maxPerColor > 0 && (any || ((SpecialEvent) event).takesRoom())) {
                  bounded(color).remove();
                }
                if (maxInAll > 0 && (any || ((SpecialEvent) event).takesRoomInAll())) {
                  pending.decrementAndGet();
                }
                if (somebody) {
            """,
            "LincheckOverloadTest$Room",
            LincheckOverloadTest::rooms),
        mutant(
            "a producer looks for room, then counts itself among those that wait",
            "Overload.java",
            "    waiting++;\n    try {\n      while (!admitted.getAsBoolean()) {\n",
            "    try {\n      while (!admitted.getAsBoolean()) {\n        waiting = 1;\n",
            "LincheckOverloadTest$Room",
            LincheckOverloadTest::rooms),
        mutant(
            "producers that wait are not told of the end",
            "Scheduler.java",
            "      overload.wakeAll(); // producers",
            "      // producers",
            "LincheckOverloadTest$Room",
            LincheckOverloadTest::end));
  }

  private static Arguments mutant(
      String name,
      String file,
      String original,
      String replacement,
      String scenario,
      Function<Class<?>, Exploration> exploration) {
    return Arguments.of(new Mutant(name, file, original, replacement), scenario, exploration);
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(
      Mutant mutant,
      String scenario,
      Function<Class<?>, Exploration> exploration,
      @TempDir Path scratch)
      throws Exception {
    // A copy: Lincheck remembers what it has instrumented by name.
    Exploration withBug = exploration.apply(mutant.loadCopy(scenario, scratch));
    LincheckAssertionError found = assertThrows(LincheckAssertionError.class, withBug::check);
    System.out.println("caught: " + mutant + " (" + kind(found) + ")");
  }

  /** It is the bug that is found, not the copy. */
  @Test
  void copyWithoutABugHolds(@TempDir Path scratch) throws Exception {
    Mutant none =
        new Mutant("no bug", "Mailbox.java", "return head != null", "return null != head");
    LincheckRuntimeTest.moves(none.loadCopy("LincheckRuntimeTest$TwoCores", scratch)).check();
  }

  private static String kind(LincheckAssertionError found) {
    return String.valueOf(found.getMessage()).strip().lines().findFirst().orElse("");
  }
}

package dev.mely;

import dev.mely.kit.Mutant;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that the Lincheck scenarios would notice: each finds the bug planted for it, in a fraction
 * of the interleavings that it explores where there is none.
 */
@Tag("mutant")
@Timeout(600)
class LincheckMutantTest {

  static Stream<LincheckMutant> mutants() {
    return Stream.of(
        new LincheckMutant(
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
        new LincheckMutant(
            "a hole in the mailbox is taken for its end",
            "Mailbox.java",
            "return null; // a hole: the next producer would still write to this event's link",
            "{ head = null; last = null; return event; }",
            "LincheckColorTest$Mailbox",
            LincheckColorTest::mailbox),
        new LincheckMutant(
            "a handler's own event overtakes those of other producers",
            "Mailbox.java",
            "    if (TAIL.getAcquire(this) != this) {\n      return false;\n    }\n",
            "",
            "LincheckColorTest$Mailbox",
            LincheckColorTest::ownEvents),
        new LincheckMutant(
            "a color moves although it has just been queued",
            "Color.java",
            "return STATE.compareAndSet(this, s, (core << CORE_SHIFT) | IDLE);",
            "STATE.setVolatile(this, (core << CORE_SHIFT) | IDLE);\n    return true;",
            "LincheckColorTest$Mailbox",
            LincheckColorTest::moves),
        new LincheckMutant(
            "the owner discards whatever is oldest",
            "StealingQueue.java",
            "queue.relaxedOffer(oldest); // a thief was faster: put the other color's entry back",
            "return;",
            "LincheckQueuesTest$Discarding",
            LincheckQueuesTest::discard),
        new LincheckMutant(
            "two thieves take one entry: it is read, then removed",
            "StealingQueue.java",
            "color = middle.relaxedPoll();",
            "color = middle.relaxedPeek();\n      middle.relaxedPoll();",
            "LincheckQueuesTest$Interval",
            LincheckQueuesTest::stealingQueue),
        new LincheckMutant(
            "a cancelled timer fires",
            "TimerEvent.java",
            "return STATE.compareAndSet(this, WAITING, REGISTERED);",
            "if ((int) STATE.getVolatile(this) != WAITING) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, REGISTERED);\n    return true;",
            "LincheckTimersTest$Ends",
            LincheckTimersTest::timerEnds),
        new LincheckMutant(
            "two colors of one number",
            "ColorTable.java",
            "Color color = found == null ? made : found.get();",
            "Color color = made;",
            "LincheckQueuesTest$Table",
            LincheckQueuesTest::colorTable),
        new LincheckMutant(
            "lost wake-up: the producer looks who sleeps, then queues the color",
            "Scheduler.java",
            "      place(color, home);\n    }\n    announce(color, home, weight);\n",
            "      announce(color, home, weight);\n      place(color, home);\n    }\n",
            "LincheckRuntimeTest$OneCore",
            LincheckRuntimeTest::sleepAndWake),
        new LincheckMutant(
            "lost wake-up: a thief puts a color back and wakes nobody",
            "StealSearch.java",
            "      context.idle().wakeHome(victim);\n",
            "",
            "LincheckRuntimeTest$Base",
            LincheckRuntimeTest::putBack),
        new LincheckMutant(
            "the count of sleepers sinks twice for one that is woken and called",
            "IdleCores.java",
            "    if (core.parked.compareAndSet(Core.PARKED, Core.AWAKE)) {\n      idle.getAndAdd(-1);",
            "    if (core.parked.getVolatile() == Core.PARKED) {\n"
                + "      core.parked.setVolatile(Core.AWAKE);\n      idle.getAndAdd(-1);",
            "LincheckRuntimeTest$Counts",
            LincheckRuntimeTest::counts),
        new LincheckMutant(
            "a registration that races the end is not looked after",
            "Scheduler.java",
            "    if (phase == CLOSED) {\n      rejection.reject(color);",
            "    if (phase == DRAINING) {\n      rejection.reject(color);",
            "LincheckRuntimeTest$Closing",
            LincheckRuntimeTest::close),
        new LincheckMutant(
            "who makes room looks for producers that wait, then makes it",
            "Overload.java",
            """
                if (place != null) {
                  place.giveBack();
                }
                if (placeInAll != null) {
                  placeInAll.giveBack();
                }
                freed(place);
                freed(placeInAll);
            """,
            """
                boolean somebody = waiting > 0;
                if (place != null) {
                  place.giveBack();
                }
                if (placeInAll != null) {
                  placeInAll.giveBack();
                }
                if (somebody) {
                  freed(place);
                  freed(placeInAll);
                }
            """,
            "LincheckOverloadTest$Room",
            LincheckOverloadTest::rooms),
        new LincheckMutant(
            "a producer waits and does not count itself among those that do",
            "Overload.java",
            "    waiters.add(self);\n    waiting = waiters.size();\n",
            "    waiters.add(self);\n",
            "LincheckOverloadTest$Room",
            LincheckOverloadTest::rooms),
        new LincheckMutant(
            "a producer that cannot take the room keeps the wake-up to itself",
            "Overload.java",
            "    passOn(self, full == inAll);\n",
            "    self.place = null;\n    self.placeInAll = null;\n",
            "LincheckOverloadTest$RoomPerColor",
            LincheckOverloadTest::both),
        new LincheckMutant(
            "a producer that is interrupted keeps the wake-up to itself",
            "Overload.java",
            "    passOn(self, false);\n",
            "",
            "LincheckOverloadTest$Room",
            LincheckOverloadTest::interrupts),
        new LincheckMutant(
            "what a producer has taken for a moment is not offered again",
            "Overload.java",
            "      offer(rooms, full);",
            "      // offer(rooms, full);",
            "LincheckOverloadTest$RoomUnderBoth",
            LincheckOverloadTest::moments),
        new LincheckMutant(
            "a place among all is given to nobody but those of the color that it was freed with",
            "Overload.java",
            "    freed(placeInAll);\n",
            "",
            "LincheckOverloadTest$RoomUnderBoth",
            LincheckOverloadTest::lines),
        new LincheckMutant(
            "producers that wait are not told of the end",
            "Scheduler.java",
            "      overload.wakeAll(); // producers",
            "      // producers",
            "LincheckOverloadTest$Room",
            LincheckOverloadTest::end));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(LincheckMutant mutant, @TempDir Path scratch) throws Exception {
    mutant.assertCaught(scratch);
  }

  /** It is the bug that is found, not the copy. */
  @Test
  void copyWithoutABugHolds(@TempDir Path scratch) throws Exception {
    Mutant none =
        new Mutant("no bug", "Mailbox.java", "return head != null", "return null != head");
    LincheckRuntimeTest.moves(none.loadCopy("LincheckRuntimeTest$TwoCores", scratch)).check();
  }
}

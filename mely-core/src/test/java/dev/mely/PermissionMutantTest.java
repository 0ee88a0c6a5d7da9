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
 * Shows that the seeded driver would notice if permissions were broken, as {@link
 * ScheduleMutantTest} and {@link SteppedScheduleTest} do for all else.
 */
@Tag("mutant")
class PermissionMutantTest {
  private static final Seeds SEEDS = new Seeds(Schedule.ASKING - 1, Schedule.ASKING, 50_000);
  private static final Seeds WITH_STOPS = new Seeds(Schedule.ASKING - 1, Schedule.ASKING, 10_000);

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
            "overlap: a color goes on while one event still reads it",
            "Color.java",
            "      if (readers(s) == 0) {\n        return false;",
            "      if (readers(s) <= 1) {\n        return false;"),
        new Mutant(
            "lost wake-up: the last reader leaves, and nobody passes the color on",
            "Color.java",
            "(s & STATE_MASK) == SHARED && readers(s) == 1;",
            "(s & STATE_MASK) == SHARED && readers(s) == 0;"),
        new Mutant(
            "order: readers are let in ahead of a writer",
            "HandOver.java",
            """
                  if (!reads && (next != Ticket.WRITE || color.hasReaders())) {
                    return false;
            """,
            """
                  if (!reads && (next != Ticket.WRITE || color.hasReaders())) {
                    Event other = color.hasReaders() ? color.take() : null;
                    if (other != null) {
                      color.append(other);
                    }
                    return false;
            """),
        new Mutant(
            "overlap: a writer is let in beside readers",
            "HandOver.java",
            "(next != Ticket.WRITE || color.hasReaders())",
            "next != Ticket.WRITE"),
        new Mutant(
            "an event runs before its last color is granted",
            "Grant.java",
            "(int) MISSING.getAndAdd(this, -more) == more;",
            "(int) MISSING.getAndAdd(this, -more) == tickets.length;"),
        new Mutant(
            "lost event: one of several tickets is dropped, and nobody is told",
            "Granter.java",
            "        scheduler.rejection.rejectOne(of, grant);\n",
            ""),
        new Mutant(
            "lost wake-up: an event that is rejected keeps its colors",
            "Rejection.java",
            "      special.dropped();\n",
            "      if (special instanceof Ticket) {\n        special.dropped();\n      }\n"),
        new Mutant(
            "the continuation comes before the last child has ended",
            "Children.java",
            "left = 1 + all.size();",
            "left = Math.max(1, all.size());"),
        new Mutant(
            "deadlock: children wait for the colors that their parent holds",
            "Children.java",
            "granter.prepare(child, scope);",
            "granter.prepare(child, null);"),
        new Mutant(
            "overlap: the colors of a parent go on while its children run",
            "Granter.java",
            "      children.begin();\n      return;\n",
            "      children.begin();\n"),
        new Mutant(
            "overlap: an event of one color forks, and the color goes on",
            "Children.java",
            "  boolean keepsColor() {\n    return true;",
            "  boolean keepsColor() {\n    return false;"),
        new Mutant(
            "room is left behind: a ticket for which an idle color is held keeps it",
            "Granter.java",
            "      handOver.leftRoom(color, ticket);\n      return;\n",
            "      return;\n"),
        new Mutant(
            "room is left behind: a ticket that another reader lets in keeps it",
            "HandOver.java",
            "    leftRoom(color, ticket);\n",
            "    ticket.detach();\n"),
        new Mutant(
            "lost event: a child that is cancelled is not told",
            "Grant.java",
            "      granter.cancelled(this, event);\n",
            ""),
        new Mutant(
            "a color that is held is not current",
            "Color.java",
            "return isRunHere() || (isHeld((int) STATE.getOpaque(this)) && HeldColors.includes(this));",
            "return isRunHere();"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, @TempDir Path scratch) throws Exception {
    SEEDS.mustCatch(mutant, scratch);
  }

  /** Those that show only if an actor may stop inside a step. */
  static Stream<Mutant> races() {
    return Stream.of(
        new Mutant(
            "deadlock: the tickets of an event enter the queues one by one",
            "Granter.java",
            "atOnce ? stripes.lock(grant.asked.colors()) : 0;",
            "0;"),
        new Mutant(
            "two have one color: a reader leaves while others are let in, and takes it for its own",
            "Color.java",
            "boolean last = (s & STATE_MASK) == SHARED && readers(s) == 1;",
            "boolean last = readers(s) == 1;"),
        new Mutant(
            "lost wake-up: a color is let go that an event has come to",
            "Color.java",
            "    if (TAIL.compareAndSet(this, this, null)) {\n      return true;\n    }\n    state = held;\n    return false;",
            "    TAIL.setVolatile(this, null);\n    return true;"),
        new Mutant(
            "two hold an idle color: it is looked at, then taken",
            "Color.java",
            "    if (!TAIL.compareAndSet(this, null, this)) {\n      return false;\n    }\n    hold();",
            "    if (TAIL.getVolatile(this) != null) {\n      return false;\n    }\n"
                + "    TAIL.setVolatile(this, this);\n    hold();"),
        new Mutant(
            "two let readers in at once",
            "Color.java",
            """
                  if (STATE.compareAndSet(this, s, (s & ~STATE_MASK) | ADMITTING)) {
                    return true;
                  }
            """,
            """
                  STATE.setVolatile(this, (s & ~STATE_MASK) | ADMITTING);
                  return true;
            """),
        new Mutant(
            "a reader is counted while another one leaves",
            "Color.java",
            "STATE.getAndAdd(this, ONE_READER); // others may be leaving",
            "STATE.setVolatile(this, (int) STATE.getVolatile(this) + ONE_READER);"),
        new Mutant(
            "two tickets are settled at once, and none is the last",
            "Grant.java",
            "return (int) MISSING.getAndAdd(this, -more) == more;",
            "int left = (int) MISSING.getVolatile(this); MISSING.setVolatile(this, left - more);"
                + " return left == more;"));
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("races")
  void isCaughtWithStops(Mutant mutant, @TempDir Path scratch) throws Exception {
    WITH_STOPS.mustCatchWithStops(mutant, scratch);
  }
}

package dev.mely;

import static org.junit.jupiter.api.Assertions.fail;

import dev.mely.kit.Mutant;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Seeded schedules whose actors may stop inside a step, before each access to what is shared: for
 * protocols that begin and end within one step, such as that of {@link Overload}, whose producers
 * wait here as well. Fewer than those of {@link ScheduleTest}: each stop is a change of threads.
 *
 * <p>{@code -Dmely.stepped=100000} explores more.
 */
@Tag("interleavings")
class SteppedScheduleTest {
  private static final int SCHEDULES = Integer.getInteger("mely.stepped", 300);
  private static final long FIRST_SEED = Long.getLong("mely.seed", 1);

  /** A bug shows in so many, or it is not caught. */
  private static final Seeds SEEDS = new Seeds(1, 1, 5_000);

  @BeforeAll
  static void hush() {
    Seeds.hush();
  }

  @AfterAll
  static void speak() {
    Seeds.speak();
  }

  @Test
  void invariantsHoldInEverySchedule(@TempDir Path nothing) throws Exception {
    Class<?> schedule = new SteppingLoader(nothing).loadClass(Schedule.class.getName());
    Method run = accessible(schedule, "runWithStops");
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
      String violation = (String) run.invoke(null, seed);
      if (!violation.isEmpty()) {
        Object trace = accessible(schedule, "traceWithStops").invoke(null, seed);
        fail("seed " + seed + ": " + violation + "\n" + trace);
      }
    }
    System.out.println(SCHEDULES + " schedules with stops from seed " + FIRST_SEED + " held");
  }

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
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
            """),
        new Mutant(
            "a producer waits and does not count itself among those that do",
            "Overload.java",
            "    waiters.add(self);\n    waiting = waiters.size();\n",
            "    waiters.add(self);\n"),
        new Mutant(
            "room in a color is looked at, then taken",
            "Room.java",
            "      if (TAKEN.compareAndSet(this, now, now + 1)) {",
            "      TAKEN.setVolatile(this, now + 1);\n      if (now >= 0) {"),
        new Mutant(
            "a release looks, then writes",
            "Color.java",
            "if (TAIL.compareAndSet(this, this, null)) {",
            "if (TAIL.getVolatile(this) == this && TAIL.getAndSet(this, null) != NEXT) {"),
        new Mutant(
            "a claim looks, then writes",
            "Color.java",
            "    return (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)\n"
                + "        && STATE.compareAndSet(this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);",
            "    if ((s & ~PINNED) != ((from << CORE_SHIFT) | QUEUED)) { return false; }\n"
                + "    STATE.setVolatile(this, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);\n"
                + "    return true;"),
        new Mutant(
            "a worker that parks a paused color does not look again",
            "Pauses.java",
            "    if (!isPaused(color)) {\n      release(color); // resumed meanwhile\n    }\n",
            ""),
        new Mutant(
            "a producer looks who sleeps, then queues the color",
            "Scheduler.java",
            "    place(color, core);\n    announce(color, core, stealing ? color.weight() : 0);\n",
            "    announce(color, core, stealing ? color.weight() : 0);\n    place(color, core);\n"));
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, @TempDir Path scratch) throws Exception {
    SEEDS.mustCatchWithStops(mutant, scratch);
  }

  private static Method accessible(Class<?> type, String name) throws NoSuchMethodException {
    Method method = type.getDeclaredMethod(name, long.class);
    method.setAccessible(true);
    return method;
  }
}

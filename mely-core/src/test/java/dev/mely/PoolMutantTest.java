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
 * Shows that the seeded driver would notice if a core asked its pool the wrong way, as {@link
 * ScheduleMutantTest} does for all else.
 */
@Tag("mutant")
class PoolMutantTest {
  /** All of them have pools. */
  private static final Seeds SEEDS = new Seeds(5, 8, 100_000);

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
            "deadlock: the naive rule, which lets nobody go who lacks anything",
            "GatedQueue.java",
            "        line.due |= line.timeLeft(now) == 0;\n",
            ""),
        new Mutant(
            "lost wake-up: a worker parks without looking at its pool again",
            "Idler.java",
            "boolean memory = core.queue.lineMoves();",
            "boolean memory = false;"),
        new Mutant(
            "lost wake-up: freeing an instance wakes no worker",
            "GatedQueue.java",
            "            room.run();\n",
            ""),
        new Mutant(
            "a worker sleeps beyond the patience of those in line",
            "Idler.java",
            "    wait = Math.min(wait, core.queue.patience(now));\n",
            ""),
        new Mutant(
            "a color goes on though the pool has nothing for it",
            "GatedQueue.java",
            """
                boolean any = pool.available(object) > 0;
                if (any && line.open) {
            """,
            """
                boolean any = pool.available(object) > 0 || pool.liveBytes() > 64;
                if (any && line.open) {
            """),
        new Mutant(
            "lost event: a color is in line before it is queued",
            "Scheduler.java",
            """
                color.queue(core.index);
                core.queue.putOff(color);
            """,
            """
                core.queue.putOff(color);
                core.queue.lineMoves();
                color.queue(core.index);
            """),
        new Mutant(
            "lost event: the end forgets who is in line",
            "Scheduler.java",
            "      core.queue.drainLine(rejection::reject);\n",
            ""),
        new Mutant(
            "not quiet: who is in line does not count",
            "Core.java",
            "return queue.isEmpty() && !queue.holdsInLine();",
            "return queue.isEmpty();"),
        new Mutant(
            "lost event: who lacks another object, too, leaves the line",
            "GatedQueue.java",
            "      lines[lacks].colors.add(head);\n",
            ""));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, @TempDir Path scratch) throws Exception {
    SEEDS.mustCatch(mutant, scratch);
  }
}

package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kit.Fault;
import dev.mely.kit.FaultLoader;
import dev.mely.kit.Mutant;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory runs out once, at each place of the group's code that could fail: {@link FaultLoader}
 * finds them, {@link StarvedGroup} comes there.
 */
@Timeout(600)
class LackOfMemoryTest {
  /** At how many of the visits to a place memory runs out. */
  private static final int TIMES = Integer.getInteger("mely.starved.times", 1);

  /** The same, at a place where a planted bug shows. */
  private static final int PLANTED_TIMES = 8;

  private static final int PATIENCE_SECONDS = 60;

  /** Or the loader has forgotten some. */
  private static final int LEAST_PLACES = 100;

  @AfterEach
  void end() {
    Fault.setAtWork(false);
  }

  @Test
  void groupLivesOnWhereverMemoryRunsOut(@TempDir Path nothing) throws Exception {
    assertEquals("", starve(nothing, "", TIMES, PATIENCE_SECONDS));
  }

  /** Each with the places where it shows. */
  static Stream<Arguments> mutants() {
    return Stream.of(
        Arguments.of(
            new Mutant(
                "a loop whose timer could not be set waits for the next task",
                "LoopTimer.java",
                "loop.post(RING, this); // tries again, behind what waits in the color",
                "throw noMemory;"),
            "ColorTasks.postLater"),
        Arguments.of(
            new Mutant(
                "a group's shutdown ends where memory runs out",
                "GroupShutdown.java",
                "Log.warn(\"The shutdown of a group is delayed\", t);",
                "if (tick > 0) return;"),
            "GroupShutdown."));
  }

  @Tag("mutant")
  @ParameterizedTest
  @MethodSource("mutants")
  void plantedBugShows(Mutant mutant, String places, @TempDir Path scratch) throws Exception {
    mutant.compile(scratch);
    String wrong = starve(scratch, places, PLANTED_TIMES, 2);
    assertFalse(wrong.isEmpty(), "not caught: " + mutant);
    System.out.println("caught: " + mutant + " (" + wrong + ")");
  }

  /** Empty if all is well at the places whose names begin so; else what was wrong first. */
  private static String starve(Path first, String where, int times, int patienceSeconds)
      throws ReflectiveOperationException {
    FaultLoader loader = new FaultLoader(first, MelyEventLoopGroup.class);
    Class<?> starved = loader.loadClass(StarvedGroup.class.getName());
    Method run = starved.getDeclaredMethod("run", int.class);
    run.setAccessible(true);
    Fault.plan(Fault.NOWHERE, 0);
    Fault.setAtWork(true);
    assertEquals("", run.invoke(null, PATIENCE_SECONDS));
    int[] reached = Fault.reached();
    int places = 0;
    for (int place = 0; place < reached.length; place++) {
      if (reached[place] > 0 && loader.places().get(place).startsWith(where)) {
        places++;
        for (int n = 1; n <= Math.min(times, reached[place]); n++) {
          Fault.plan(place, n);
          Object wrong = run.invoke(null, patienceSeconds);
          if (!wrong.equals("")) {
            return loader.places().get(place) + ", time " + n + ": " + wrong;
          }
        }
      }
    }
    assertTrue(!where.isEmpty() || places >= LEAST_PLACES, places + " places");
    return "";
  }
}

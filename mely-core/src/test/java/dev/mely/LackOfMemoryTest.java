package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kit.Fault;
import dev.mely.kit.FaultLoader;
import dev.mely.kit.Mutant;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory runs out once, at each place of the runtime's code that could fail: {@link FaultLoader}
 * finds them. In schedules that come there all holds that {@link Schedule} checks, and a call that
 * fails has done nothing ({@link StarvedCalls}).
 */
@Tag("interleavings")
class LackOfMemoryTest {
  /** Number of schedules that run without a fault first, to see which places each comes to. */
  private static final int SCHEDULES = Integer.getInteger("mely.starved", 1_000);

  /** For each place: the most schedules in which memory runs out there. */
  private static final int TIMES = Integer.getInteger("mely.starved.times", 20);

  /** Or the loader has forgotten some. */
  private static final int LEAST_PLACES = 60;

  @BeforeAll
  static void hush() {
    Seeds.hush();
  }

  @AfterAll
  static void speak() {
    Seeds.speak();
  }

  @Test
  void scheduleHoldsWhereverMemoryRunsOut(@TempDir Path nothing) throws Exception {
    assertEquals("", new Starved(new FaultLoader(nothing, Mely.class)).schedules());
  }

  @Test
  void callThatFailsHasDoneNothing(@TempDir Path nothing) throws Exception {
    assertEquals("", new Starved(new FaultLoader(nothing, Mely.class)).calls());
  }

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "the children of a fork are lost if there is no memory for an iterator",
            "Children.java",
            """
                for (int i = 0; i < all.size(); i++) { // no iterator, for which there may be no memory
                  granter.enter(all.get(i), scoped);
                }
            """,
            """
                for (Grant child : all) {
                  granter.enter(child, scoped);
                }
            """),
        new Mutant(
            "a failure that cannot be noted is thrown on the way to the colors' release",
            "Failures.java",
            "catch (OutOfMemoryError e)",
            "catch (ArithmeticException e)"),
        new Mutant(
            "an event whose colors cannot be noted is neither run nor rejected",
            "EventRunner.java",
            "      rejection.rejectTaken(toRun, payload);\n",
            ""),
        new Mutant(
            "grants that end at the end are forgotten if there is no memory for their list",
            "Granter.java",
            "    } catch (OutOfMemoryError e) {\n      endNow(grant);",
            "    } catch (ArithmeticException e) {\n      endNow(grant);"),
        new Mutant(
            "a notice of room that nobody has got stays in line",
            "RoomNotice.java",
            "overload.leave(place); // the caller gets no future: nobody would cancel it",
            ""),
        new Mutant(
            "an event that is refused stays pending",
            "Scheduler.java",
            """
                } catch (Throwable refused) {
                  event.detach();
            """,
            """
                } catch (Throwable refused) {
                  if (refused instanceof RejectedExecutionException) {
                    event.detach();
                  }
            """),
        new Mutant(
            "a timer that memory has run out for is not over",
            "Timers.java",
            "if (timer.fire()) { // else it has been cancelled meanwhile",
            "if (timer.isDone()) {"));
  }

  @Tag("mutant")
  @ParameterizedTest
  @MethodSource("mutants")
  void plantedBugShows(Mutant mutant, @TempDir Path scratch) throws Exception {
    mutant.compile(scratch);
    Starved starved = new Starved(new FaultLoader(scratch, Mely.class));
    String wrong = starved.calls() + starved.schedules();
    assertFalse(wrong.isEmpty(), "not caught: " + mutant);
    System.out.println("caught: " + mutant + " (" + wrong.lines().findFirst().orElse("") + ")");
  }

  /** A runtime in which memory runs out as planned. */
  private static final class Starved {
    private final FaultLoader loader;
    private final Method run;

    Starved(FaultLoader loader) throws ReflectiveOperationException {
      this.loader = loader;
      this.run = accessible(loader.loadClass(Schedule.class.getName()), "runStarved", long.class);
    }

    /** Empty if all schedules hold; else, for each place, the first that does not. */
    String schedules() throws ReflectiveOperationException {
      Map<Integer, List<Long>> comers = comers();
      assertTrue(comers.size() >= LEAST_PLACES, comers.size() + " places");
      StringBuilder wrong = new StringBuilder();
      for (Map.Entry<Integer, List<Long>> place : comers.entrySet()) {
        wrong.append(starve(place.getKey(), place.getValue()));
      }
      return wrong.toString();
    }

    /** By place: the seeds of schedules that come there. */
    private Map<Integer, List<Long>> comers() throws ReflectiveOperationException {
      Map<Integer, List<Long>> comers = new TreeMap<>();
      for (long seed = 1; seed <= SCHEDULES; seed++) {
        Fault.plan(Fault.NOWHERE, 0);
        assertEquals("", run.invoke(null, seed), "seed " + seed);
        int[] often = Fault.reached();
        for (int place = 0; place < often.length; place++) {
          if (often[place] > 0) {
            comers.computeIfAbsent(place, p -> new ArrayList<>()).add(seed);
          }
        }
      }
      return comers;
    }

    private String starve(int place, List<Long> seeds) throws ReflectiveOperationException {
      for (int i = 0; i < Math.min(TIMES, seeds.size()); i++) {
        int n = 1 + i % 3;
        Fault.plan(place, n);
        Object violation = run.invoke(null, seeds.get(i));
        if (!violation.equals("")) {
          String where = loader.places().get(place) + ", time " + n + ", seed " + seeds.get(i);
          return where + ": " + violation + "\n";
        }
      }
      return "";
    }

    String calls() throws ReflectiveOperationException {
      Class<?> calls = loader.loadClass(StarvedCalls.class.getName());
      return (String) accessible(calls, "run").invoke(null);
    }

    private static Method accessible(Class<?> type, String name, Class<?>... parameters)
        throws ReflectiveOperationException {
      Method method = type.getDeclaredMethod(name, parameters);
      method.setAccessible(true);
      return method;
    }
  }
}

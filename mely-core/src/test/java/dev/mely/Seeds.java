package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.mely.kit.Mutant;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The seeds among which a planted bug must show in {@link Schedule}.
 *
 * @param first the first one
 * @param step from one to the next
 * @param last the last one at most
 */
record Seeds(long first, long step, long last) {
  private static final Logger LOG = Logger.getLogger("dev.mely");

  /** Faults of the simulated world are reported: not here. */
  static void hush() {
    LOG.setLevel(Level.OFF);
  }

  /** The log is as it was. */
  static void speak() {
    LOG.setLevel(null);
  }

  /** Fails unless the bug shows, and the same schedule holds without it. */
  void mustCatch(Mutant mutant, Path scratch) throws Exception {
    find(mutant, run(mutant.load("Schedule", scratch), "run"), run(Schedule.class, "run"));
  }

  /** The same with actors that may stop inside a step. */
  void mustCatchWithStops(Mutant mutant, Path scratch) throws Exception {
    mutant.compile(scratch);
    find(mutant, withStops(scratch), withStops(Files.createDirectory(scratch.resolve("nothing"))));
  }

  private static Method withStops(Path scratch) throws ReflectiveOperationException {
    return run(new SteppingLoader(scratch).loadClass(Schedule.class.getName()), "runWithStops");
  }

  private static Method run(Class<?> schedule, String name) throws ReflectiveOperationException {
    Method method = schedule.getDeclaredMethod(name, long.class);
    method.setAccessible(true);
    return method;
  }

  private void find(Mutant mutant, Method run, Method intact) throws Exception {
    for (long seed = first; seed <= last; seed += step) {
      String violation = (String) run.invoke(null, seed);
      if (!violation.isEmpty()) {
        System.out.println("caught at seed " + seed + ": " + mutant + " (" + violation + ")");
        assertEquals("", intact.invoke(null, seed), "the same schedule must hold without the bug");
        return;
      }
    }
    fail("not caught in the schedules of " + this + ": " + mutant);
  }
}

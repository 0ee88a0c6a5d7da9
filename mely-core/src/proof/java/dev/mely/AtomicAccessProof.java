package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * That each atomic access of the scheduler has to be one, and that the driver would notice: each in
 * its turn is made in pieces, a read, a stop, and a write, and some {@link Duels} must show it.
 * Those that need not be atomic, or that they cannot see, are listed with the reason; one that is
 * caught all the same, or is gone, must leave the list.
 *
 * <p>Memory order is no matter here: see the races, and the table in the notebook.
 */
class AtomicAccessProof {
  private static final long SEEDS = Long.getLong("mely.duels", 250);

  private static final Map<String, String> SPARED =
      Map.of(
          "BlockedHandlers.sleep synchronized 1",
          "without its monitor the wait throws at once; wakes up by itself every half second",
          "BlockedHandlers.stop synchronized 1",
          "without its monitor the notification throws at once: ShutdownTest",
          "Construction.lambda$daemonThreads$0 getAndIncrement 1",
          "the constructing thread alone counts; a lambda needs an object to count in",
          "FreshColors.next getAndIncrement 1",
          "a hint: two colors may begin at one core",
          "Overload.all synchronized 1",
          "the JDK's set is one step here, and breaks when it is read while it changes",
          "RandomMigration.seed getAndSet 1",
          "the same warning might be logged twice",
          "RandomPlacement.draw getAndAdd 1",
          "a hint: two colors may begin at one core",
          "TimerQueue.size synchronized 1",
          "a figure for people; the monitor makes it a recent one");

  /** Those that may fail unheard. */
  private static final Map<String, String> UNHEARD =
      Map.of(
          "Color.exchangeIdle compareAndSet 1",
          "a color that is woken at this moment may be elsewhere again in any case",
          "TimerEvent.rearm compareAndSet 1",
          "a timer that is over waits once more, and leaves without having been fired");

  @BeforeAll
  static void hush() {
    Seeds.hush();
  }

  @AfterAll
  static void speak() {
    Seeds.speak();
  }

  @Test
  @Timeout(600)
  void eachIsCaughtOrListed(@TempDir Path nothing) {
    assertCaught(AtomicAccess.Way.SPLIT, AtomicAccess.all(), SPARED.keySet(), nothing);
  }

  /** Who has lost a race must not go on as if it had been won. */
  @Test
  @Timeout(600)
  void eachThatFailsIsHeard(@TempDir Path nothing) {
    List<AtomicAccess> all = AtomicAccess.all().stream().filter(AtomicAccess::mayFail).toList();
    assertCaught(AtomicAccess.Way.UNHEARD, all, UNHEARD.keySet(), nothing);
  }

  private static void assertCaught(
      AtomicAccess.Way way, List<AtomicAccess> all, Set<String> spared, Path nothing) {
    String caught =
        all.parallelStream()
            .filter(access -> isCaught(access, way, nothing))
            .map(AtomicAccess::toString)
            .sorted()
            .collect(Collectors.joining("\n"));
    String expected =
        all.stream()
            .map(AtomicAccess::toString)
            .filter(access -> !spared.contains(access))
            .sorted()
            .collect(Collectors.joining("\n"));
    assertEquals(expected, caught, "not caught, or listed and caught");
  }

  @Test
  void listHasNothingThatIsGone() {
    TreeSet<String> gone = new TreeSet<>(SPARED.keySet());
    gone.addAll(UNHEARD.keySet());
    AtomicAccess.all().forEach(access -> gone.remove(access.toString()));
    assertEquals(new TreeSet<>(), gone);
  }

  private static boolean isCaught(AtomicAccess access, AtomicAccess.Way way, Path nothing) {
    try {
      Method run = run(access, way, nothing);
      for (long seed = 1; seed <= SEEDS; seed++) {
        String violation = (String) run.invoke(null, seed);
        if (!violation.isEmpty()) {
          Method whole = run(access, AtomicAccess.Way.WHOLE, nothing);
          assertEquals("", whole.invoke(null, seed), "as a whole it must hold: " + access);
          System.out.println("caught at seed " + seed + ": " + access + " (" + violation + ")");
          return true;
        }
      }
      return false;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("in " + access, e);
    }
  }

  private static Method run(AtomicAccess access, AtomicAccess.Way way, Path nothing)
      throws ReflectiveOperationException {
    Class<?> duels =
        new SteppingLoader(nothing, access, way)
            .loadClass(AtomicAccessProof.class.getPackageName() + ".Duels");
    Method method = duels.getDeclaredMethod("run", long.class);
    method.setAccessible(true);
    return method;
  }
}

package dev.mely;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.kit.Mutant;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that {@link KnownBugsTest} would notice: each of its tests fails with a bug like theirs.
 */
@Tag("mutant")
class KnownBugsMutantTest {

  static Stream<Arguments> mutants() {
    Mutant noLastLook =
        new Mutant(
            "a worker does not look at its victims again before it parks",
            "Idler.java",
            "boolean prey = stealing && rounds++ < 2 && search.seesPrey();",
            "boolean prey = false;");
    Mutant unseen =
        new Mutant(
            "a worker is parked without saying so",
            "IdleCores.java",
            "    core.parked.setVolatile(Core.PARKED);\n",
            "");
    return Stream.of(
        Arguments.of(noLastLook, "tokio1788WorkThatComesWhileTheLastSearcherParks", "all"),
        Arguments.of(
            new Mutant(
                "a thief that has won does not send for the next",
                "Idler.java",
                "if (calls.mayCall(core) && search.seesPrey()) {",
                "if (calls == null) {"),
            "tokio4383WorkThatComesWhileTheLastSearcherHasFoundOther",
            null),
        Arguments.of(
            new Mutant(
                "a worker parks although its own queue holds something",
                "Idler.java",
                "boolean work = !core.queue.isEmpty() ||",
                "boolean work ="),
            "goDelicateDanceWithAnEvent",
            "off"),
        Arguments.of(unseen, "goDelicateDanceWithAnEvent", "time-left"),
        Arguments.of(unseen, "goDelicateDanceWithATimer", null),
        Arguments.of(
            new Mutant(
                "a worker parks as soon as it has fired timers, or before",
                "Idler.java",
                "    timers.fire(core, now, core);\n    return WorkerState.PICK;",
                "    return WorkerState.PARK;"),
            "catsEffect3586TimerOfAnotherCoreFillsTheOwnQueue",
            "time-left"),
        Arguments.of(
            new Mutant(
                "private events are forgotten when the batch is over",
                "Mailbox.java",
                "return head != null || TAIL.getAcquire(this) != this;",
                "return TAIL.getAcquire(this) != this;"),
            "catsEffect3444PrivateEventsGoWithTheColor",
            null),
        Arguments.of(
            new Mutant(
                "every woken worker counts itself out of the searching",
                "IdleCores.java",
                "      idle.getAndAdd(-1);\n      return false;",
                "      idle.getAndAdd(-1);\n      return true;"),
            "catsEffect4448CountOfSearchersAfterAnyWakeUp",
            "timer"),
        Arguments.of(
            new Mutant(
                "a thief takes the entry out of the ring before it decides",
                "StealSearch.java",
                "case WORTHY, RELIEF -> true;",
                "case WORTHY, RELIEF -> false;"),
            "catsEffect4674ThiefThatNeverComesBack",
            "time-left"),
        Arguments.of(
            new Mutant(
                "who runs a color is not part of its state",
                "Color.java",
                "return (s & STATE_MASK) == RUNNING && host.isCurrent(s >>> CORE_SHIFT);",
                "return host.isCurrent(s >>> CORE_SHIFT);"),
            "netty13233WhoRunsAColorAroundEachHandOver",
            null),
        Arguments.of(
            new Mutant(
                "a handler's failure ends the claim on the color",
                "EventRunner.java",
                "    counters.errors++;\n",
                "    counters.errors++;\n    batch.running().queue(core.index);\n"),
            "netty15927WhoRunsAColorAfterAFailure",
            null),
        Arguments.of(
            new Mutant(
                "a thief takes a color before it is its own",
                "Color.java",
                "        && STATE.compareAndSet(this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);",
                "        && (from != to\n"
                    + "            || STATE.compareAndSet(\n"
                    + "                this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING));"),
            "melyFigure2ProducerBetweenVictimAndThief",
            "time-left"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, String test, String argument, @TempDir Path scratch)
      throws Exception {
    boolean handOver = !hasTest(KnownBugsTest.class, test);
    String of = handOver ? "KnownHandOverBugsTest" : "KnownBugsTest";
    Class<?> type = mutant.load(of, scratch);
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    Object[] arguments = argument == null ? new Object[0] : new Object[] {argument};
    Class<?>[] types = argument == null ? new Class<?>[0] : new Class<?>[] {String.class};
    Method method = type.getDeclaredMethod(test, types);
    method.setAccessible(true);
    InvocationTargetException failure =
        assertThrows(
            InvocationTargetException.class,
            () -> method.invoke(instance, arguments),
            () -> "not caught: " + mutant);
    assertInstanceOf(AssertionError.class, failure.getCause());
    System.out.println("caught: " + mutant + " (" + failure.getCause().getMessage() + ")");
  }

  private static boolean hasTest(Class<?> type, String test) {
    return Stream.of(type.getDeclaredMethods()).anyMatch(m -> m.getName().equals(test));
  }
}

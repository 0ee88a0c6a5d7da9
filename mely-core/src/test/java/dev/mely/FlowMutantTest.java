package dev.mely;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.kit.Mutant;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bugs that the tests of pauses, of room and of replies notice. */
@Tag("mutant")
class FlowMutantTest {
  private static Arguments bug(
      String name, String file, String original, String replacement, String test) {
    return Arguments.of(new Mutant(name, file, original, replacement), test, null);
  }

  static Stream<Arguments> mutants() {
    return Stream.of(
        bug(
            "readers are let into a paused color",
            "HandOver.java",
            "while (!scheduler.pauses.isPaused(color)) {",
            "while (scheduler != null) {",
            "PauseTest.readersThatRunGoOnAndOthersWait"),
        Arguments.of(
            new Mutant(
                "an idle color is granted although it is paused",
                "Granter.java",
                "!scheduler.pauses.isPaused(color) && ",
                ""),
            "PauseTest.permissionsOfAPausedColorAreNotGranted",
            false),
        bug(
            "what is pending in paused colors is lost at the end",
            "Scheduler.java",
            "    pauses.sweep();\n",
            "",
            "PauseTest.shutdownRejectsWhatIsPending"),
        Arguments.of(
            new Mutant(
                "a notice that is complete keeps the place that it was woken for",
                "RoomNotice.java",
                "(none, thrown) -> overload.leave(place)",
                "(none, thrown) -> { }"),
            "RoomNoticeTest.thoseBehindItAreTold",
            false),
        Arguments.of(
            new Mutant(
                "a notice that is cancelled keeps the place that it was woken for",
                "RoomNotice.java",
                "(none, thrown) -> overload.leave(place)",
                "(none, thrown) -> { }"),
            "RoomNoticeTest.thoseBehindItAreTold",
            true),
        bug(
            "a notice is woken once at most",
            "RoomNotice.java",
            "          notice.woken.set(false);\n",
            "",
            "RoomNoticeTest.itMayBeWokenInVain"),
        bug(
            "a notice is an event that is left at the end",
            "RoomNotice.java",
            "if (scheduler.phase() != Scheduler.OPEN) {\n      if",
            "if (scheduler == null) {\n      if",
            "RoomNoticeTest.theEndFailsTheFuture"),
        bug(
            "an event that is submitted and rejected never completes its future",
            "Rejection.java",
            "      fail(reply);\n",
            "",
            "SubmitTest.anEventThatIsRejectedTellsHandlerAndFuture"),
        bug(
            "an event that is submitted and refused stays pending",
            "Scheduler.java",
            "        reply.detachOwn();\n",
            "",
            "SubmitTest.anEventThatIsRefusedIsTheCallers"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, String test, @Nullable Boolean argument, @TempDir Path scratch)
      throws Exception {
    String[] names = test.split("\\.");
    Class<?> type = mutant.load(names[0], scratch);
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    Method method =
        argument == null
            ? type.getDeclaredMethod(names[1])
            : type.getDeclaredMethod(names[1], boolean.class);
    method.setAccessible(true);
    InvocationTargetException failure =
        assertThrows(
            InvocationTargetException.class,
            () -> {
              if (argument == null) {
                method.invoke(instance);
              } else {
                method.invoke(instance, argument);
              }
            },
            () -> "not caught: " + mutant);
    assertInstanceOf(AssertionError.class, failure.getCause());
  }
}

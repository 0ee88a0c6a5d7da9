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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Shows that {@link StressTest} would notice. */
@Tag("mutant")
@Timeout(600)
class StressMutantTest {
  /** Real threads race as they like; mostly the first time is enough. */
  private static final int ATTEMPTS = 20;

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "order: a handler's own event overtakes those of other producers",
            "Mailbox.java",
            "    if (TAIL.getAcquire(this) != this) {\n      return false;\n    }\n",
            ""),
        new Mutant(
            "a pinned color leaves its core",
            "Color.java",
            "    return ((int) STATE.getOpaque(this) & PINNED) != 0;",
            "    return false;"),
        new Mutant(
            "a handler's error stays untold",
            "EventRunner.java",
            "    counters.errors++;\n",
            "    if (t instanceof Error) {\n      return;\n    }\n    counters.errors++;\n"),
        new Mutant(
            "a cancelled timer fires",
            "TimerEvent.java",
            "return STATE.compareAndSet(this, REGISTERED, RUNNING) ? event : null;",
            "return event;"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isCaught(Mutant mutant, @TempDir Path scratch) throws Exception {
    Class<?> type = mutant.load("StressTest", scratch);
    Class<?> policies = type.getClassLoader().loadClass(StealPolicy.class.getName());
    Object policy = policies.getMethod("parse", String.class).invoke(null, "time-left");
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Method method =
        type.getDeclaredMethod("everyColorIsSerialAndInOrder", int.class, policies, boolean.class);
    method.setAccessible(true);
    Object instance = constructor.newInstance();
    InvocationTargetException failure =
        assertThrows(
            InvocationTargetException.class,
            () -> {
              for (int i = 0; i < ATTEMPTS; i++) {
                method.invoke(instance, 3, policy, true);
              }
            },
            () -> "not caught: " + mutant);
    assertInstanceOf(AssertionError.class, failure.getCause());
    System.out.println("caught: " + mutant);
  }
}

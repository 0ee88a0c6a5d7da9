package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kit.Mutant;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A handler that overflows its stack costs no other color anything, wherever the error strikes: an
 * event is registered, or the registration fails and nothing has changed.
 *
 * <p>{@code -Dmely.overflows=1000} tries more: each try overflows five stacks some hundred times.
 */
@Timeout(600)
class StackOverflowTest {
  private static final int TRIES = Integer.getInteger("mely.overflows", 1);

  /** First interpreted, then compiled by one compiler after the other. */
  @Test
  void everyEventRunsOrIsRefused() throws InterruptedException {
    assertEquals("", DeepStack.run(2 * TRIES, DeepStack.PATIENCE_SECONDS));
  }

  /** Frames are largest while all is interpreted. */
  @ParameterizedTest
  @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1"})
  void everyEventRunsOrIsRefused(String mode) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                mode,
                "-cp",
                System.getProperty("java.class.path"),
                DeepStack.class.getName(),
                Integer.toString(TRIES))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes());
    process.waitFor();
    assertTrue(said.contains("held"), said);
  }

  /** Its broken twin: without a reserve events are lost, and the end says that something is. */
  @Test
  void withoutTheReserveEventsAreLost(@TempDir Path scratch) throws Exception {
    Mutant mutant = new Mutant("no reserve of stack", "StackReserve.java", "    check(more);", "");
    Method method =
        mutant.load("DeepStack", scratch).getDeclaredMethod("run", int.class, int.class);
    method.setAccessible(true);
    String lost = (String) method.invoke(null, 1_000, 2);
    assertFalse(lost.isEmpty(), "not caught: " + mutant);
    System.out.println("caught: " + mutant + " (" + lost + ")");
    assertTrue(lost.contains("drained=false"), lost);
  }
}

package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.mely.kit.Mutant;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The broken twins of {@link OffloadDifferentialTest}: it finds each planted bug. */
@Tag("mutant")
@Timeout(300)
@ExtendWith(LosesBuffers.class)
class OffloadMutantTest {
  private static final int PROGRAMS = 1_000;

  /** A program that never ends shows a bug, too. */
  private static final int PATIENCE_SECONDS = 3;

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "channelInactive and other signals overtake messages",
            "Offloaded.java",
            "      loop.post(messages, event);\n",
            """
                  OffloadMessage late = event;
                  loop.execute(() -> loop.post(messages, late));
            """),
        new Mutant(
            "a flush is lost",
            "Outbound.java",
            "      } else if (next == FLUSH) {\n        flush = true;\n",
            "      } else if (next == FLUSH) {\n        flush = false;\n"),
        new Mutant(
            "a close goes ahead of a flush",
            "Outbound.java",
            "          flush = false;\n          ctx.flush();\n",
            ""),
        new Mutant(
            "a message is released twice",
            "Offloaded.java",
            "        pipeline.fireChannelRead(event.message);\n",
            """
                    pipeline.fireChannelRead(event.message);
                    ReferenceCountUtil.safeRelease(event.message);
            """),
        new Mutant(
            "reads are not held back",
            "Offloaded.java",
            "    return arrived - handled >= maxMessages\n",
            "    return arrived - handled < 0 && arrived < 0\n"),
        new Mutant(
            "a read that is held back does not go on",
            "Offloaded.java",
            "    if (readHeld && !isFull()) {\n",
            "    if (readHeld && handled < 0) {\n"),
        new Mutant(
            "promises are not completed",
            "Outbound.java",
            "    outer.addListener(new PromiseNotifier<Void, ChannelFuture>(false, inner));\n",
            ""),
        new Mutant(
            "promises are completed before the write",
            "Outbound.java",
            "    ChannelPromise outer = ctx.newPromise();\n",
            "    ChannelPromise outer = ctx.newPromise();\n    inner.trySuccess();\n"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isFound(Mutant mutant, @TempDir Path scratch) throws Exception {
    String found = run(mutant, scratch);
    assertNotEquals("", found, () -> "not found: " + mutant);
    System.out.println(mutant + ": found by " + found);
  }

  /** It is the bug that is found, not the other class loader. */
  @Test
  void aCopyWithoutABugHolds(@TempDir Path scratch) throws Exception {
    assertEquals(
        "", run(new Mutant("no bug", "Outbound.java", "int done = 0", "int done = 0"), scratch));
  }

  private static String run(Mutant mutant, Path scratch) throws Exception {
    Method run =
        mutant
            .load("OffloadDifferentialTest", scratch)
            .getDeclaredMethod("firstDifference", int.class, int.class);
    run.setAccessible(true);
    return (String) run.invoke(null, PROGRAMS, PATIENCE_SECONDS);
  }
}

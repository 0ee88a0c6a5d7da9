package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The broken twins of {@link DifferentialTest}: it finds each fault, and what it finds is small.
 */
@Tag("mutant")
@Timeout(300)
@ExtendWith(LosesBuffers.class)
class DifferentialMutantTest {
  private static final int PROGRAMS = 5_000;

  /** A program that never ends is a fault, too. */
  private static final int PATIENCE_SECONDS = 3;

  @ParameterizedTest
  @EnumSource
  void everyFaultIsFound(FaultyLoop.Fault fault) throws Exception {
    assertFound(
        fault.toString(),
        fault::isSaidBy,
        new LoopBed(fault.group(), Io.NIO, false, false, PATIENCE_SECONDS, fault::handler));
  }

  /** Mely with the order that it had once: I/O does not wait for tasks, but for a moment. */
  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  void readsThatOvertakeTasksAreFound(Io io, boolean shared) throws Exception {
    EventLoopGroup group =
        DifferentialTest.migrating(io, 1).maxTaskProcessingQuantum(Duration.ofNanos(1)).build();
    assertFound(
        "no quantum, " + io + ", " + (shared ? "shared loops" : "own loops"),
        FaultyLoop.Fault.IO_BEFORE_CHAINED_TASKS::isSaidBy,
        new LoopBed(group, io, shared, false, PATIENCE_SECONDS, null));
  }

  private static void assertFound(String fault, Predicate<String> expected, LoopBed started) {
    try (LoopBed bed = started) {
      Iterator<LoopProgram> programs =
          LongStream.range(1, 1 + PROGRAMS).mapToObj(LoopProgram::random).iterator();
      List<String> others = new ArrayList<>();
      while (programs.hasNext()) {
        for (LoopBed.Failure found : bed.run(programs, 1)) {
          for (String said : found.faults()) {
            if (expected.test(said)) {
              System.out.printf(
                  "%s: found by program %d: %s%n", fault, found.program().seed(), said);
              return;
            }
            others.add(said);
          }
        }
      }
      fail(fault + " is not found, but " + others);
    }
  }

  /** A program is cut down to the steps that matter: a task that submits a task, between reads. */
  @Test
  void whatFailsIsReduced() throws Exception {
    FaultyLoop.Fault fault = FaultyLoop.Fault.IO_BEFORE_CHAINED_TASKS;
    try (LoopBed bed =
        new LoopBed(fault.group(), Io.NIO, false, false, PATIENCE_SECONDS, fault::handler)) {
      LoopBed.Failure found =
          bed.run(LongStream.range(1, 1 + PROGRAMS).mapToObj(LoopProgram::random).iterator(), 1)
              .get(0);
      LoopBed.Failure small = bed.shrink(found, 30, Duration.ofSeconds(4).toNanos());
      assertTrue(small.program().size() <= found.program().size(), small::toString);
      assertTrue(small.program().size() <= 8, small::toString);
    }
  }
}
